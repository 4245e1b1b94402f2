// The list of pages beside each page.
import { escapeHtml } from '#http'
import { linkBetween } from './site-paths.ts'

/** A page of the navigation. */
export interface NavigationEntry {
  readonly address: string
  readonly title: string
}

/** Sections in their order: the start of the addresses of their pages. */
const SECTIONS: readonly (readonly [title: string, matches: RegExp])[] = [
  ['Guides', /^guide\//],
  ['Examples', /^examples\//],
  ['Reference', /^reference\//],
  ['Specification gaps', /^spec-gaps/],
  ['Decisions', /^adr\//],
  ['Project', /^[^/]+\.html$/],
]

/** First pages of their sections, in the order in which a new user needs them; the others follow by title. */
const FIRST = [
  'guide/getting-started.html',
  'guide/install.html',
  'guide/deployment.html',
  'reference/index.html',
  'reference/admin.html',
  'reference/config.html',
  'reference/route.html',
]

export function navigation(pages: readonly NavigationEntry[], current: string): string {
  const inner = pages.filter(({ address }) => address !== 'index.html')
  const sections = SECTIONS.flatMap(([title, matches]) => {
    const own = inner.filter(({ address }) => matches.test(address)).sort(byOrder)
    if (own.length === 0) return []
    const open = matches.test(current) && current !== 'index.html' ? ' open' : ''
    const items = own.map((page) => `<li>${pageLink(page, current)}</li>`).join('\n')
    return [`<details${open}><summary>${title}</summary><ul>\n${items}\n</ul></details>`]
  })
  const start = pageLink({ address: 'index.html', title: 'Identity Gateway' }, current)
  return `<p>${start}</p>\n${sections.join('\n')}`
}

function pageLink({ address, title }: NavigationEntry, current: string): string {
  const mark = address === current ? ' aria-current="page"' : ''
  return `<a href="${linkBetween(current, address) || '#'}"${mark}>${escapeHtml(title)}</a>`
}

function byOrder(a: NavigationEntry, b: NavigationEntry): number {
  const [first, second] = [a, b].map(({ address }) => FIRST.indexOf(address)) as [number, number]
  if (first !== second) return (first === -1 ? FIRST.length : first) - (second === -1 ? FIRST.length : second)
  return a.title < b.title ? -1 : 1
}
