import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Folder } from '#test/folder'
import { RunningGateway } from '#test/gateway'
import { converse } from '#test/listening'

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(3000))})\n`
const INDEX = `<!doctype html><base href="__STUDIO_BASE__"><meta property="csp-nonce" nonce="__CSP_NONCE__">
<script type="module" nonce="__CSP_NONCE__" src="assets/index-Ab3dEf-h.js"></script>`

describe('pages of the Studio', () => {
  let gateway: RunningGateway
  let folder: Folder

  before(async () => {
    folder = new Folder({
      'index.html': INDEX,
      'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'assets/index-Ab3dEf-h.js': SCRIPT,
      'assets/index-Ab3dEf-h.js.br': 'compressed by the build',
      'assets/lazy-12345678.css': `a{b:${'c'.repeat(2000)}}`,
      'assets/font-12345678.woff2': 'f'.repeat(2000),
    })
    symlinkSync('/etc/passwd', join(folder.path, 'link'))
    gateway = await RunningGateway.start({
      studioPages: folder.path,
      files: { 'secrets/gateway.admin.password': 'p' },
    })
  })

  after(async () => {
    await gateway[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    gateway.askAdmin(path, { headers, method })

  test('/ without credentials and /studio lead to /studio/, also below the prefix', async () => {
    for (const [path, location] of [
      ['/', '/studio/'],
      ['/studio', '/studio/'],
      ['/gateway', '/gateway/studio/'],
      ['/gateway/', '/gateway/studio/'],
      ['/gateway/studio', '/gateway/studio/'],
    ] as const) {
      const { status, headers } = await get(path)
      assert.deepEqual([path, status, headers.location], [path, 302, location])
    }
  })

  test('every path of a page is index.html, without credentials, with a policy and a new nonce each time', async () => {
    const nonces = new Set<string>()
    for (const [path, base] of [
      ['/studio/', '/studio/'],
      ['/studio/index.html', '/studio/'],
      ['/studio/routes/my.route', '/studio/'],
      ['/gateway/studio/monitor?x=1', '/gateway/studio/'],
    ] as const) {
      const { status, headers, text } = await get(path)
      assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
      assert.equal(headers['cache-control'], 'no-cache')
      assert.equal(headers.etag, undefined, 'a 304 would come with another nonce')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      const policy = String(headers['content-security-policy'])
      assert.doesNotMatch(policy, /unsafe|\*|https?:/)
      for (const part of ["object-src 'none'", "frame-ancestors 'none'", "img-src 'self' data:", "base-uri 'self'"]) {
        assert.ok(policy.split('; ').includes(part), part)
      }
      assert.match(policy, /form-action 'self'/)
      const nonce = String(/style-src 'self' 'nonce-([\w-]{22})'/.exec(policy)?.[1])
      nonces.add(nonce)
      assert.equal(text, INDEX.replaceAll('__CSP_NONCE__', nonce).replace('__STUDIO_BASE__', base))
    }
    assert.equal(nonces.size, 4)
  })

  test('names with a hash are cached for ever, others are revalidated', async () => {
    const script = await get('/studio/assets/index-Ab3dEf-h.js')
    assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.deepEqual([script.headers['content-type'], script.text], ['text/javascript; charset=utf-8', SCRIPT])
    const icon = await get('/gateway/studio/favicon.svg')
    assert.deepEqual([icon.headers['cache-control'], icon.headers['content-type']], ['no-cache', 'image/svg+xml'])
    const etag = icon.headers.etag as string
    for (const tag of [etag, `"other", W/${etag}`, '*']) {
      const cached = await get('/studio/favicon.svg', { 'If-None-Match': tag })
      assert.deepEqual([cached.status, cached.text, cached.headers.etag], [304, '', etag])
    }
    assert.equal((await get('/studio/favicon.svg', { 'If-None-Match': '"other"' })).status, 200)
  })

  test('content is compressed as the client accepts, by the build or on first use', async () => {
    const script = '/studio/assets/index-Ab3dEf-h.js'
    const built = await get(script, { 'Accept-Encoding': 'gzip, br' })
    assert.deepEqual([built.headers['content-encoding'], built.text], ['br', 'compressed by the build'])
    assert.equal(built.headers.vary, 'Accept-Encoding')
    const refused = await get(script, { 'Accept-Encoding': 'br;q=0, gzip;q=0.0' })
    assert.equal(refused.headers['content-encoding'], undefined)
    assert.notEqual(refused.headers.etag, built.headers.etag)
    for (const coding of ['gzip', 'br']) {
      const answer = await fetch(`${gateway.adminUrl}/studio/assets/lazy-12345678.css`, {
        headers: { 'Accept-Encoding': coding },
      })
      assert.equal(answer.headers.get('content-encoding'), coding)
      assert.match(await answer.text(), /^a\{b:c{2000}\}$/)
    }
    const font = await get('/studio/assets/font-12345678.woff2', { 'Accept-Encoding': 'br' })
    assert.deepEqual([font.headers['content-encoding'], font.headers['content-type']], [undefined, 'font/woff2'])
  })

  test('HEAD has the headers of GET, other methods are 405', async () => {
    const head = await get('/studio/assets/index-Ab3dEf-h.js', {}, 'HEAD')
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', String(SCRIPT.length)])
    assert.equal((await get('/studio/', {}, 'HEAD')).status, 200)
    const post = await get('/studio/', {}, 'POST')
    assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD'])
  })

  test('unknown assets are 404, and no path leaves the folder', async () => {
    assert.equal((await get('/studio/assets/missing.js')).status, 404)
    assert.equal((await get('/studio/assets/index-Ab3dEf-h.js.br')).status, 404)
    for (const path of [
      '/studio/link',
      '/studio/../secrets/gateway.admin.password',
      '/studio/..%2f..%2fetc/passwd',
      '/studio/%2e%2e/%2e%2e/etc/passwd',
      '/studio/assets/../../index.html',
      '/studio/assets/..%5c..%5cindex.html',
      '/studio//etc/passwd',
      '/studio/%00',
    ]) {
      const answer = await converse(
        gateway.gateway.adminPort,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      )
      assert.doesNotMatch(answer, /root:/)
      assert.match(answer, /^HTTP\/1\.1 (?:200 [\s\S]*<!doctype html>|30\d|40\d)/, path)
    }
  })

  test('B84: a Host that does not name the connector is 403', async () => {
    assert.equal((await get('/studio/', { Host: 'evil.test' })).status, 403)
  })

  test('a new build is served without a restart, and a page can load the parts of its own build', async () => {
    mkdirSync(join(folder.path, 'assets'), { recursive: true })
    writeFileSync(join(folder.path, 'index.html'), 'second build')
    writeFileSync(join(folder.path, 'assets/more-87654321.js'), 'more')
    utimesSync(join(folder.path, 'index.html'), new Date(), new Date(Date.now() + 60_000))
    assert.equal((await get('/studio/')).text, 'second build')
    assert.equal((await get('/studio/assets/more-87654321.js')).text, 'more')
  })
})

test('without a build the page says how to make one', async () => {
  await using gateway = await RunningGateway.start()
  const { status, text, headers } = await gateway.askAdmin('/studio/routes')
  assert.deepEqual([status, headers['content-type']], [503, 'text/html; charset=utf-8'])
  assert.match(text, /npm run studio:build/)
  assert.match(String(headers['content-security-policy']), /default-src 'none'/)
})

test('with studio: false the pages are 404', async () => {
  await using gateway = await RunningGateway.start({
    admin: { studio: false },
    files: { 'secrets/gateway.admin.password': 'p' },
  })
  for (const path of ['/studio', '/studio/', '/gateway/studio/']) {
    assert.equal((await gateway.askAdmin(path)).status, 404)
  }
})
