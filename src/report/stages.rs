//! What a report tells of an update that an operator works through: its components, and what the operator says.

use super::document::{Block, Piece, Text};
use crate::run::{Run, Stage, Step, StepId, image_version};
use Piece::{State, Word};

/// A component of a stage.
#[derive(Debug)]
pub(super) struct Component {
    step: StepId,
    name: String,
    state: &'static str,
    result: String,
    from: String,
    to: String,
    said: String,
}

/// What the operator says of a stage, and which pipelines it is about.
#[derive(Debug)]
pub(super) struct Said {
    step: StepId,
    message: String,
    pipelines: String,
}

/// What is told of all stages.
#[derive(Debug, Default)]
pub(super) struct Stages {
    components: Vec<Component>,
    said: Vec<Said>,
}

impl Stages {
    /// Those of a run; with `redact` without what anybody says.
    pub(super) fn of(run: &Run, redact: bool) -> Self {
        let stages = || run.steps.iter().filter_map(|step: &Step| Some((step.id, step.stage()?)));
        let said = |text: &str| if redact { String::new() } else { text.to_owned() };
        let of_stage = |(step, stage): (StepId, &Stage)| Said {
            step,
            message: said(&stage.said),
            pipelines: said(&stage.pipelines.join(", ")),
        };
        let version = |image: &Option<String>| image.as_deref().map(image_version).unwrap_or_default().to_owned();
        let components = stages().flat_map(|(step, stage)| {
            stage.components.iter().map(move |component| Component {
                step,
                name: component.name.clone(),
                state: component.state.word(),
                result: component.result.clone().unwrap_or_default(),
                from: version(&component.before),
                to: version(&component.image),
                said: match &component.held {
                    Some(held) if !redact => format!("{}: {}", held.reason, held.message),
                    _ => said(&component.message),
                },
            })
        });
        let said = stages().map(of_stage).filter(|said| !(said.message.is_empty() && said.pipelines.is_empty()));
        Self { components: components.collect(), said: said.collect() }
    }

    pub(super) fn write<'a>(&'a self, blocks: &mut Vec<Block<'a>>) {
        if !self.components.is_empty() {
            blocks.push(Block::Heading(3, vec![Word("Components")]));
            let columns = ["Step", "Component", "State", "Result", "From", "To", "Told"];
            blocks.push(Block::table(&columns, self.components.iter().map(Component::row).collect()));
        }
        if !self.said.is_empty() {
            blocks.push(Block::Heading(3, vec![Word("What the operator says of its steps")]));
            let columns = ["Step", "Message", "Pipelines"];
            blocks.push(Block::table(&columns, self.said.iter().map(Said::row).collect()));
        }
    }
}

impl Component {
    fn row(&self) -> Vec<Text<'_>> {
        let step = vec![Word(self.step.title())];
        let state = vec![State(self.state)];
        [
            vec![step, theirs(&self.name), state],
            [&self.result, &self.from, &self.to, &self.said].map(|text| theirs(text)).to_vec(),
        ]
        .concat()
    }
}

impl Said {
    fn row(&self) -> Vec<Text<'_>> {
        vec![vec![Word(self.step.title())], theirs(&self.message), theirs(&self.pipelines)]
    }
}

fn theirs(text: &str) -> Text<'_> {
    if text.is_empty() { Vec::new() } else { vec![Piece::theirs(text)] }
}
