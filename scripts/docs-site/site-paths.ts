// Sources of the documentation site, and the addresses of their pages.
import { globSync } from 'node:fs'
import { posix, sep } from 'node:path'

/** Markdown files of the site, relative to the root of the repository. */
export function siteSources(root: string): string[] {
  return globSync(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !path.includes('node_modules/'))
    .sort()
}

/** Address of the page of a Markdown file, relative to the root of the site. */
export function pageAddress(source: string): string {
  if (source === 'README.md') return 'index.html'
  const path = source.replace(/^docs\//, '').replace(/\.md$/, '')
  if (path.startsWith('examples/'))
    return `${path.replace(/\/README$/, '').replace(/^examples$/, 'examples/index')}.html`
  return `${path.replace(/(^|\/)README$/, '$1index')}.html`.toLowerCase()
}

/** Address of a file that is copied into the site. */
export function fileAddress(path: string): string {
  return `files/${path}`
}

/** The address of one page or file as a link of another page. */
export function linkBetween(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to)
}
