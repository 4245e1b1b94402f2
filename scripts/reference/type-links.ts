/** Parts of Markdown without links of their own: fenced code, headings, links, code and words. */
const PARTS = /^(?:```[\s\S]*?^```|#.*)$|!?\[[^\]]*\]\([^)]*\)|`[^`\n]+`|\b[A-Z]\w*/gm

/** Names that are no plain words. */
const COMPOSED = /[a-z0-9][A-Z]|[A-Z]{2}/

/** Makes the first mention of each type, except those of its own page, a link to its page. */
export function withTypeLinks(markdown: string, pages: ReadonlyMap<string, string>, own: string): string {
  const linked = new Set([own])
  return markdown.replace(PARTS, (part: string) => {
    const name = part.startsWith('`') && !part.startsWith('```') ? part.slice(1, -1) : part
    const page = COMPOSED.test(name) ? pages.get(name) : undefined
    if (page === undefined || linked.has(name)) return part
    linked.add(name)
    return `[${part}](${page}.md)`
  })
}
