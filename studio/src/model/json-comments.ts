import { createScanner } from 'jsonc-parser'

/** Where the comments of a text are, also of one that is not valid. */
export function jsonComments(text: string): readonly { readonly from: number; readonly to: number }[] {
  const comments: { from: number; to: number }[] = []
  const scanner = createScanner(text)
  // Only the token at the end of the text is empty.
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const from = scanner.getTokenOffset()
    const isComment = text.startsWith('//', from) || text.startsWith('/*', from)
    if (isComment) comments.push({ from, to: from + scanner.getTokenLength() })
  }
  return comments
}
