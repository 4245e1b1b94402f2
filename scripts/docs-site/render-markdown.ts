// Renders one Markdown file: its HTML, the ids of its headings, and its sections for the search.
import { Marked, type Tokens } from 'marked'
import { escapeHtml } from '#http'

/** A part of a page from one heading to the next. */
export interface Section {
  readonly id: string
  readonly heading: string
  readonly text: string
}

/** A rendered Markdown file. */
export interface RenderedMarkdown {
  readonly title: string
  readonly html: string
  /** Ids that links can refer to. */
  readonly anchors: ReadonlySet<string>
  readonly sections: readonly Section[]
  readonly headings: readonly { readonly id: string; readonly depth: number; readonly text: string }[]
}

/** Replaces the target of a link or image; null where it is broken, which the function has reported. */
export type ResolveLink = (href: string, isImage: boolean) => string | null

export function renderMarkdown(markdown: string, resolve: ResolveLink): RenderedMarkdown {
  const anchors = new Set<string>()
  const headings: { id: string; depth: number; text: string }[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const inner = this.parser.parseInline(tokens)
        const text = plainText(inner)
        const id = uniqueId(text, anchors)
        headings.push({ id, depth, text })
        return `<h${depth} id="${id}">${inner}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const target = resolve(href, false)
        return target === null ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`
      },
      image({ href, text }: Tokens.Image) {
        const target = resolve(href, true)
        return target === null ? '' : `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}" loading="lazy">`
      },
      // Both may be wider than the page: focusable, so that they can be scrolled with the keyboard.
      code({ text, lang = '' }: Tokens.Code) {
        const language = /^\w+/.exec(lang)?.[0] ?? 'text'
        return `<pre tabindex="0"><code class="language-${language}">${escapeHtml(text)}</code></pre>\n`
      },
    },
  })
  const html = (marked.parse(markdown, { async: false }) as string)
    .replaceAll('<table>', '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll(/<!--[\s\S]*?-->\n*/g, '')
  const title = headings.find(({ depth }) => depth === 1)?.text ?? ''
  return { title, html, anchors, sections: sectionsOf(html, title), headings }
}

/** The id of a heading as repositories on the web make it, so that the same links work there. */
function uniqueId(text: string, taken: Set<string>): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
  let id = slug
  for (let count = 1; taken.has(id); count++) id = `${slug}-${count}`
  taken.add(id)
  return id
}

function sectionsOf(html: string, title: string): Section[] {
  const parts = html.split(/(?=<h[1-6] id=")/)
  return parts.flatMap((part) => {
    const [whole, id, inner] = /^<h[1-6] id="([^"]*)">([\s\S]*?)<\/h[1-6]>/.exec(part) ?? []
    const text = plainText(part.slice(whole?.length ?? 0))
    if (whole === undefined) return text === '' ? [] : [{ id: '', heading: title, text }]
    return [{ id: id as string, heading: plainText(inner as string), text }]
  })
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: ' ' }

/** The text of HTML that this module made. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replaceAll(/\s+/g, ' ')
    .trim()
}
