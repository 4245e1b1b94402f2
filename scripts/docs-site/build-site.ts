// Builds the documentation site of one version from Markdown files, and checks all links.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { escapeHtml } from '#http'
import { type NavigationEntry, navigation } from './navigation.ts'
import { pageLayout, plainPage } from './page-layout.ts'
import { renderMarkdown } from './render-markdown.ts'
import { SiteLinks } from './site-links.ts'
import { fileAddress, linkBetween, pageAddress, siteSources } from './site-paths.ts'

/** Input of a build. */
interface SiteInput {
  /** Root of the repository. */
  readonly root: string
  /** Folder of all versions; those of earlier builds stay. */
  readonly out: string
  readonly version: string
}

/** Result of a build. */
interface BuiltSite {
  readonly pages: number
  /** Broken links: file, link and reason. */
  readonly broken: readonly string[]
}

const ASSETS = join(import.meta.dirname, 'assets')

export function buildSite({ root, out, version }: SiteInput): BuiltSite {
  const folder = join(out, version)
  const sources = siteSources(root)
  const links = new SiteLinks(root, sources)
  const rendered = sources.map((source) => {
    const markdown = readFileSync(join(root, source), 'utf8')
    const page = renderMarkdown(markdown, (href, isImage) => links.resolve(source, href, isImage))
    return { source, address: pageAddress(source), ...page, title: page.title || source }
  })
  links.checkAnchors(new Map(rendered.map(({ source, anchors }) => [source, anchors])))

  rmSync(folder, { recursive: true, force: true })
  const write = (address: string, content: string): void => {
    mkdirSync(dirname(join(folder, address)), { recursive: true })
    writeFileSync(join(folder, address), content)
  }
  const entries: NavigationEntry[] = rendered.map(({ address, title }) => ({ address, title }))
  for (const { address, title, html, headings } of rendered) {
    const contents = headings.filter(({ depth }) => depth === 2)
    write(address, pageLayout({ address, title, html, contents, version, navigation: navigation(entries, address) }))
  }
  const titles = new Map(rendered.map(({ source, title }) => [source, title]))
  for (const path of links.folders) {
    const address = `${fileAddress(path)}/index.html`
    const html = folderList(root, path, address, titles, links.files)
    write(
      address,
      pageLayout({ address, title: path, html, contents: [], version, navigation: navigation(entries, address) }),
    )
  }
  for (const path of links.files) {
    mkdirSync(dirname(join(folder, fileAddress(path))), { recursive: true })
    cpSync(join(root, path), join(folder, fileAddress(path)))
  }
  cpSync(ASSETS, join(folder, 'assets'), { recursive: true })
  const index = rendered.flatMap(({ address, title, sections }) =>
    sections.map(({ id, heading, text }) => [id === '' ? address : `${address}#${id}`, title, heading, text]),
  )
  write('assets/search-index.js', `window.searchIndex = ${JSON.stringify(index)}\n`)
  writeVersions(out)
  return { pages: rendered.length, broken: links.broken }
}

/** Content of the page of a folder: its Markdown files by title, its other files by name. */
function folderList(
  root: string,
  path: string,
  address: string,
  titles: ReadonlyMap<string, string>,
  files: Set<string>,
): string {
  const items = readdirSync(join(root, path))
    .sort()
    .flatMap((name) => {
      const file = `${path}/${name}`
      if (!statSync(join(root, file)).isFile()) return []
      const title = titles.get(file)
      if (title === undefined) files.add(file)
      const target = title === undefined ? fileAddress(file) : pageAddress(file)
      return [`<li><a href="${linkBetween(address, target)}">${escapeHtml(title ?? name)}</a></li>`]
    })
  return `<h1>${escapeHtml(path)}</h1>\n<ul>\n${items.join('\n')}\n</ul>`
}

/** Lists the versions in the folder, newest first, and leads from its start page to the newest. */
function writeVersions(out: string): void {
  const versions = readdirSync(out)
    .filter((name) => statSync(join(out, name)).isDirectory())
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  const items = versions.map((version) => `<li><a href="${version}/index.html">Version ${escapeHtml(version)}</a></li>`)
  const list = `<ul>\n${items.join('\n')}\n</ul>`
  writeFileSync(join(out, 'versions.html'), plainPage('Versions of the documentation', list))
  const [newest = ''] = versions
  const redirect = `<meta http-equiv="refresh" content="0; url=${newest}/index.html">\n`
  writeFileSync(join(out, 'index.html'), plainPage('Identity Gateway', list, redirect))
}
