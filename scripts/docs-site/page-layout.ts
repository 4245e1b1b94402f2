// The HTML around the content of a page. Nothing is loaded from other servers; scripts are needed only for the search.
import { escapeHtml } from '#http'
import { linkBetween } from './site-paths.ts'

/** Content of one page. */
interface PageContent {
  readonly address: string
  readonly title: string
  readonly html: string
  readonly navigation: string
  /** Headings of the second level, for the list of contents. */
  readonly contents: readonly { readonly id: string; readonly text: string }[]
  readonly version: string
}

const SHORTEST_CONTENTS = 3

export function pageLayout({ address, title, html, navigation, contents, version }: PageContent): string {
  const at = (target: string) => linkBetween(address, target)
  const list = contents.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join('')
  const onThisPage =
    contents.length < SHORTEST_CONTENTS
      ? ''
      : `<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul>${list}</ul></details></nav>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} - Identity Gateway ${escapeHtml(version)}</title>
<link rel="stylesheet" href="${at('assets/style.css')}">
<link rel="icon" href="data:,">
<script src="${at('assets/search.js')}" defer></script>
</head>
<body data-root="${at('index.html').replace(/index\.html$/, '')}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="${at('index.html')}">Identity Gateway</a>
<a href="${at('../versions.html')}">Version ${escapeHtml(version)}</a>
<search hidden><label for="query">Search</label><input id="query" type="search" autocomplete="off" spellcheck="false">
<div id="results" role="status"></div></search>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
${navigation}
</nav>
<main id="content" tabindex="-1">
${onThisPage}
${html}
</main>
</div>
</body>
</html>
`
}

/** The list of versions, and the start page that leads to one of them: plain pages beside the folders of the versions. */
export function plainPage(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>:root { color-scheme: light dark } body { font: 1.0625rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }</style>
${head}</head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body>
</html>
`
}
