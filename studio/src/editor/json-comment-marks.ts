import { type Extension, Prec } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { jsonComments } from '../model/json-comments.ts'

const COMMENT = Decoration.mark({ class: 'json-comment' })

/** Marks the comments of JSON, whose language has none: it highlights what is in them as values. */
export function jsonCommentMarks(): Extension {
  // What is below the visible part has no effect on it.
  const decorate = ({ state, viewport }: EditorView): DecorationSet => {
    const text = state.doc.sliceString(0, viewport.to)
    return Decoration.set(jsonComments(text).map(({ from, to }) => COMMENT.range(from, to)))
  }
  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet

      constructor(view: EditorView) {
        this.decorations = decorate(view)
      }

      update({ docChanged, viewportChanged, view }: ViewUpdate) {
        if (docChanged || viewportChanged) this.decorations = decorate(view)
      }
    },
    { decorations: ({ decorations }) => decorations },
  )
  // Around the marks of values, so that it is one element.
  return Prec.lowest(plugin)
}
