import { syntaxTree } from '@codemirror/language'
import { type Extension, Prec, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { expressionTokens } from '../../model/expression-tokens.ts'
import { type DecodedString, decodeString } from '../../model/json-string.ts'

const MARKS = new Map<string, Decoration>()

function markOf(kind: string): Decoration {
  const known = MARKS.get(kind) ?? Decoration.mark({ class: `expression ${kind}` })
  MARKS.set(kind, known)
  return known
}

/** Highlights the expressions of a text. */
export function expressionMarks(): Extension {
  return marks((view) => [plainText(view.state.doc.toString())])
}

/** Highlights the expressions in the strings of JSON that are shown. */
export function jsonExpressionMarks(): Extension {
  return marks(visibleStrings)
}

function plainText(text: string): DecodedString {
  return { text, offsets: Array.from({ length: text.length + 1 }, (_, at) => at) }
}

function visibleStrings({ state, visibleRanges }: EditorView): readonly DecodedString[] {
  const strings: DecodedString[] = []
  for (const { from, to } of visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: ({ name, from: start, to: end }) => {
        if (name !== 'String') return
        strings.push(decodeString(state.doc.sliceString(start + 1, end), start + 1))
      },
    })
  }
  return strings
}

function marks(textsOf: (view: EditorView) => readonly DecodedString[]): Extension {
  const decorate = (view: EditorView): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>()
    for (const { text, offsets } of textsOf(view)) {
      for (const { kind, from, to } of expressionTokens(text)) {
        builder.add(offsets[from] as number, offsets[to] as number, markOf(kind))
      }
    }
    return builder.finish()
  }
  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet

      constructor(view: EditorView) {
        this.decorations = decorate(view)
      }

      update(update: ViewUpdate) {
        const isParsed = syntaxTree(update.state) !== syntaxTree(update.startState)
        if (update.docChanged || update.viewportChanged || isParsed) this.decorations = decorate(update.view)
      }
    },
    { decorations: ({ decorations }) => decorations },
  )
  // Inside of the mark of a string, so that its colour is seen.
  return Prec.highest(plugin)
}
