import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/**
 * Replaces a selection by typed text in the editor's document. The browser itself would keep the look of the replaced text by an
 * inline style, which the Content-Security-Policy refuses.
 */
export function plainReplacement(): Extension {
  return EditorView.domEventHandlers({
    beforeinput: ({ inputType, data }, view) => {
      const isReplaced = inputType === 'insertText' && data !== null && !view.state.selection.main.empty
      if (!isReplaced || view.composing || view.state.readOnly) return false
      view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
      return true
    },
  })
}
