package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// The tools that scripts of the tests use, all of them busybox.
const tools = "awk cat date dd echo env expr false grep head kill ls mkdir printf rm sed seq sh sleep tail tee test touch true wc yes"

// With no command a container waits until it is told to end, so that the image is that of a sandbox too.
const wait = "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done"

// An entry of an archive: a file, a link where there is a target, else a directory.
type entry struct {
	name, target string
	content      []byte
}

func archive(entries []entry) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: 0o755, Typeflag: tar.TypeDir}
		switch {
		case e.target != "":
			header.Typeflag, header.Linkname = tar.TypeSymlink, e.target
		case e.content != nil:
			header.Typeflag, header.Size = tar.TypeReg, int64(len(e.content))
		}
		check(w.WriteHeader(header))
		_, err := w.Write(e.content)
		check(err)
	}
	check(w.Close())
	return out.Bytes()
}

// writeImage writes an image of static busybox to standard output, as an OCI archive. args: NAME:TAG.
func writeImage(args []string) {
	if len(args) != 1 {
		fail("image NAME:TAG")
	}
	busybox, err := os.ReadFile("/bin/busybox")
	check(err)
	files := []entry{{name: "bin"}, {name: "tmp"}, {name: "bin/busybox", content: busybox}}
	for _, tool := range strings.Fields(tools) {
		files = append(files, entry{name: "bin/" + tool, target: "busybox"})
	}
	blobs := []entry{{name: "blobs"}, {name: "blobs/sha256"}}
	blob := func(kind string, data []byte) map[string]any {
		digest := fmt.Sprintf("%x", sha256.Sum256(data))
		blobs = append(blobs, entry{name: "blobs/sha256/" + digest, content: data})
		return map[string]any{"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(data)}
	}
	layer := blob("layer.v1.tar", archive(files))
	config := blob("config.v1+json", document(map[string]any{
		"architecture": "amd64", "os": "linux",
		"rootfs": map[string]any{"type": "layers", "diff_ids": []any{layer["digest"]}},
		"config": map[string]any{"Env": []string{"PATH=/bin"}, "Entrypoint": []string{"/bin/sh", "-c", wait}},
	}))
	manifest := blob("manifest.v1+json", document(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": []any{layer},
	}))
	manifest["annotations"] = map[string]any{"io.containerd.image.name": args[0]}
	index := document(map[string]any{"schemaVersion": 2, "manifests": []any{manifest}})
	layout := []entry{{name: "oci-layout", content: []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {name: "index.json", content: index}}
	_, err = os.Stdout.Write(archive(append(layout, blobs...)))
	check(err)
}

func document(value any) []byte {
	data, err := json.Marshal(value)
	check(err)
	return data
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}
