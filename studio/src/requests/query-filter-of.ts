/** A Common REST query filter, or words that the path has to contain. */
export function queryFilterOf(typed: string): string {
  const text = typed.trim()
  if (text === '') return 'true'
  if (/(?:^|\s)(?:eq|co|sw|lt|le|gt|ge|pr)(?:\s|$)/.test(text) || /^!?\(/.test(text)) return text
  return text
    .split(/\s+/)
    .map((word) => `path co ${JSON.stringify(word)}`)
    .join(' and ')
}
