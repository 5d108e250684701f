package main

import (
	"context"
	"encoding/json"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// directWriter writes objects straight into the members: what is left of a federation
// control plane when everything but its writes to the members is taken away.
type directWriter struct {
	clients []*rest.RESTClient
	base    string
	op      string
	bodies  [][]byte
}

func newDirectWriter(members []*cluster, base string) *directWriter {
	w := &directWriter{base: base}
	for _, m := range members {
		c, err := rest.UnversionedRESTClientFor(withGV(m.cfg))
		must(err)
		w.clients = append(w.clients, c)
	}
	return w
}

// begin renders what the operation sends, before the clock runs. The changes stay in the
// objects, as apply wants the whole wish each time.
func (w *directWriter) begin(op, arg string, all [][]doc) {
	w.op, w.bodies = op, make([][]byte, len(all))
	for i, docs := range all {
		u := docs[len(docs)-1].u
		switch op {
		case "image":
			path := []string{"spec", "template", "spec", "containers"}
			list, _, err := unstructured.NestedSlice(u.Object, path...)
			must(err)
			list[0].(map[string]any)["image"] = arg
			must(unstructured.SetNestedSlice(u.Object, list, path...))
		case "scale":
			n, err := strconv.ParseInt(arg, 10, 64)
			must(err)
			must(unstructured.SetNestedField(u.Object, n, "spec", "replicas"))
		}
		body, err := json.Marshal(u)
		must(err)
		w.bodies[i] = body
	}
}

func (w *directWriter) write(ctx context.Context, member, i int, name string) error {
	c := w.clients[member]
	if w.op == "delete" {
		return c.Delete().AbsPath(w.base, name).Do(ctx).Error()
	}
	return c.Patch(types.ApplyPatchType).AbsPath(w.base, name).Param("fieldManager", "fedbench").Param("force", "true").
		Body(w.bodies[i]).Do(ctx).Error()
}

func (b *bench) ensureNamespace(ctx context.Context, name string) {
	for _, m := range b.members {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := m.cs.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) {
			must(err)
		}
	}
}
