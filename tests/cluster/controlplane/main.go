// Command controlplane is every component of a Kubernetes cluster in one binary, and kubectl for it:
// controlplane etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubelet|kubectl|image ARGUMENTS.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	if len(os.Args) < 2 {
		fail("name a component")
	}
	name := os.Args[1]
	os.Args = os.Args[1:]
	var cmd *cobra.Command
	switch name {
	case "etcd":
		runEtcd(os.Args[1:])
		return
	case "image":
		writeImage(os.Args[1:])
		return
	case "kube-apiserver":
		cmd = apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		cmd = controllers.NewControllerManagerCommand()
	case "kube-scheduler":
		cmd = scheduler.NewSchedulerCommand()
	case "kubelet":
		cmd = kubelet.NewKubeletCommand(context.Background())
	case "kubectl":
		cmd = kubectl.NewDefaultKubectlCommand()
	default:
		fail("no such component: " + name)
	}
	os.Exit(cli.Run(cmd))
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, "controlplane:", why)
	os.Exit(2)
}
