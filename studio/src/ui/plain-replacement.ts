import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/**
 * Replaces a selection by typed text in the editor's document. The browser itself would keep the look of the replaced text by an
 * inline style, which the Content-Security-Policy refuses.
 */
export function plainReplacement(): Extension {
  return EditorView.domEventHandlers({
    beforeinput: ({ inputType, data }, view) => {
      // That of the browser: the editor hears of a new selection only after this event.
      const selection = document.getSelection()
      const range = selection === null || selection.rangeCount === 0 ? null : selection.getRangeAt(0)
      if (inputType !== 'insertText' || data === null || range === null || range.collapsed) return false
      if (view.composing || view.state.readOnly || !view.contentDOM.contains(range.commonAncestorContainer))
        return false
      const from = view.posAtDOM(range.startContainer, range.startOffset)
      const to = view.posAtDOM(range.endContainer, range.endOffset)
      view.dispatch({
        changes: { from, to, insert: data },
        selection: { anchor: from + data.length },
        userEvent: 'input.type',
        scrollIntoView: true,
      })
      return true
    },
  })
}
