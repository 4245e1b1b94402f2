// npm run docs: the documentation site.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Chromium, chromiumMissing } from '#test/chromium'
import { Folder } from '#test/folder'
import { accessibilityFindings } from '#test/studio'
import { buildSite } from '../scripts/docs-site/build-site.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

describe('documentation site', () => {
  let folder: Folder
  let pages: readonly string[]

  before(() => {
    folder = new Folder()
    const { broken } = buildSite({ root, out: folder.path, version })
    assert.deepEqual(broken, [])
    pages = globSync('**/*.html', { cwd: folder.path })
  })

  after(() => folder[Symbol.dispose]())

  test('every guide, reference page and decision is a page, and the navigation lists it', () => {
    const start = folder.read(`${version}/index.html`)
    for (const path of globSync('docs/{guide,reference,adr}/*.md', { cwd: root })) {
      const address = path
        .replace(/^docs\//, '')
        .replace(/README\.md$/, 'index.md')
        .replace(/\.md$/, '.html')
      assert.ok(existsSync(folder.in(join(version, address))), address)
      assert.ok(start.includes(`href="${address}"`), address)
    }
  })

  test('every link leads to a file and an element that exist', () => {
    const ids = new Map<string, ReadonlySet<string>>()
    const idsOf = (file: string): ReadonlySet<string> => {
      if (!ids.has(file))
        ids.set(file, new Set([...readFileSync(file, 'utf8').matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)))
      return ids.get(file)!
    }
    assert.ok(pages.length > 150)
    for (const page of pages) {
      const file = folder.in(page)
      for (const [, href] of readFileSync(file, 'utf8').matchAll(/<a [^>]*href="([^"]*)"/g)) {
        if (/^https?:/.test(href!)) continue
        const [path, anchor = ''] = href!.split('#')
        const target = path === '' ? file : resolve(dirname(file), path!)
        assert.ok(existsSync(target), `${page}: ${href}`)
        if (anchor !== '') assert.ok(idsOf(target).has(decodeURIComponent(anchor)), `${page}: ${href}`)
      }
    }
  })

  test('pages load nothing from other servers', () => {
    for (const page of pages) {
      const html = folder.read(page)
      const loaded = [...html.matchAll(/<(?:script|link|img|iframe|source)[^>]+(?:src|href)="([^"]*)"/g)].map(
        ([, url]) => url!,
      )
      assert.deepEqual(
        loaded.filter((url) => /^(?:[a-z]+:)?\/\//.test(url)),
        [],
        page,
      )
    }
    for (const asset of globSync(`${version}/assets/*.{css,js}`, { cwd: folder.path })) {
      if (!asset.endsWith('search-index.js')) assert.doesNotMatch(folder.read(asset), /https?:|@import|url\(/, asset)
    }
  })

  const address = (path: string) => pathToFileURL(folder.in(join(version, path))).href

  test('works from files, in both colour schemes, without findings of axe-core', {
    skip: chromiumMissing,
    timeout: 120_000,
  }, async () => {
    await using chromium = await Chromium.start()
    for (const colorScheme of ['light', 'dark'] as const) {
      await chromium.withPage(async (page) => {
        const requested: string[] = []
        page.on('request', (request) => requested.push(request.url()))
        await page.emulateMedia({ colorScheme })
        for (const path of ['index.html', 'guide/tls.html', 'reference/admin.html', 'reference/index.html']) {
          await page.goto(address(path))
          assert.deepEqual(await accessibilityFindings(page), [], path)
        }
        assert.deepEqual(
          requested.filter((url) => !url.startsWith('file:') && !url.startsWith('data:')),
          [],
        )
      })
    }
  })

  test('the search finds sections, and its results are links to them', {
    skip: chromiumMissing,
    timeout: 60_000,
  }, async () => {
    await using chromium = await Chromium.start()
    await chromium.withPage(async (page) => {
      await page.goto(address('guide/tls.html'))
      await page.getByRole('searchbox', { name: 'Search' }).fill('throttlingfilter')
      await page.getByRole('link', { name: 'ThrottlingFilter', exact: true }).first().click()
      await page.waitForURL(/reference\/throttling-filter\.html/)
      await page.getByRole('searchbox', { name: 'Search' }).fill('nosuchwordanywhere')
      await page.getByText('Nothing found').waitFor()
      assert.deepEqual(await accessibilityFindings(page), [])
    })
  })

  test('without scripts all pages can be reached, and there is no search field', {
    skip: chromiumMissing,
    timeout: 60_000,
  }, async () => {
    await using chromium = await Chromium.start()
    await chromium.withPage(async (_, context) => {
      const page = await context.newPage()
      await page.route('**/*.js', (route) => route.abort())
      await page.goto(address('index.html'))
      assert.equal(await page.locator('#query').isVisible(), false)
      await page.locator('nav.pages summary', { hasText: 'Guides' }).click()
      await page.locator('nav.pages').getByRole('link', { name: 'TLS', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'TLS' }).waitFor()
    })
  })
})

test('versions stay beside each other, and the start page leads to the newest', () => {
  using folder = new Folder({ 'source/README.md': '# Start\n' })
  const site = { root: folder.in('source'), out: folder.in('site') }
  for (const each of ['0.9.0', '0.10.0', '0.9.0']) buildSite({ ...site, version: each })
  assert.match(folder.read('site/index.html'), /url=0\.10\.0\/index\.html/)
  const listed = [...folder.read('site/versions.html').matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
  assert.deepEqual(
    listed.filter((href) => href!.endsWith('index.html')),
    ['0.10.0/index.html', '0.9.0/index.html'],
  )
  assert.match(folder.read('site/0.9.0/index.html'), /href="\.\.\/versions\.html"/)
})

test('broken links, anchors and images of other servers are exit code 1, each with its file', async () => {
  using folder = new Folder({
    'source/package.json': '{ "version": "1.0.0" }',
    'source/README.md': '# Start\n\n[good](docs/a.md#part-two) [gone](docs/b.md) [anchor](docs/a.md#part-3)\n',
    'source/docs/a.md':
      '# A\n\n## Part two\n\n[own](#part-two) [no](#nothing) ![picture](https://example.com/x.png) [out](../../x)\n\n```md\n[not](a-link.md)\n```\n',
  })
  const run = promisify(execFile)(process.execPath, [
    join(root, 'scripts/docs-site.ts'),
    '--root',
    folder.in('source'),
    '--out',
    folder.in('site'),
  ])
  const { code, stderr } = await run.then(
    () => assert.fail('expected exit code 1'),
    (error: { code: number; stderr: string }) => error,
  )
  assert.equal(code, 1)
  assert.deepEqual(stderr.trim().split('\n').sort(), [
    'broken link: README.md: docs/a.md#part-3: no such heading in docs/a.md',
    'broken link: README.md: docs/b.md: no such file',
    'broken link: docs/a.md: #nothing: no such heading in docs/a.md',
    'broken link: docs/a.md: ../../x: no such file',
    'broken link: docs/a.md: https://example.com/x.png: the site must not load images from other servers',
  ])
})

test('text of a page is escaped, and addresses of links stay inside the site', () => {
  using folder = new Folder({
    'source/README.md':
      '# A < B & `<script>`\n\n`${x}` [l](LICENSE "t") <https://example.com/?a=1&b=2>\n\n```html\n<b>"x"</b>\n```\n',
    'source/LICENSE': 'text',
  })
  buildSite({ root: folder.in('source'), out: folder.in('site'), version: '1.0.0' })
  const html = folder.read('site/1.0.0/index.html')
  assert.match(html, /<title>A &#60; B &#38; &#60;script&#62;/)
  assert.match(html, /<h1 id="a--b--script">/)
  assert.match(html, /&#60;b&#62;&#34;x&#34;&#60;\/b&#62;/)
  assert.match(html, new RegExp(`href="${posix.join('files', 'LICENSE')}"`))
  assert.equal(folder.read('site/1.0.0/files/LICENSE'), 'text')
})
