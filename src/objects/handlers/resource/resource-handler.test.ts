import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { type Handler, type Response, Uri } from '#http'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { type ExchangeParts, exchangeFor } from '#test/exchange'
import { ResourceHandler } from './resource-handler.ts'

const NOW = Date.UTC(2024, 0, 31, 12, 0, 0)
const CHANGED = new Date('2024-01-02T03:04:05.500Z')
const ETAG = `"c-${(BigInt(CHANGED.getTime()) * 1_000_000n).toString(16)}"`
const LAST_MODIFIED = 'Tue, 02 Jan 2024 03:04:05 GMT'

const top = realpathSync(mkdtempSync(join(tmpdir(), 'resource-test-')))
after(() => rmSync(top, { recursive: true, force: true }))

function put(path: string, content: string | Uint8Array = path): void {
  mkdirSync(dirname(join(top, path)), { recursive: true })
  writeFileSync(join(top, path), content)
  utimesSync(join(top, path), CHANGED, CHANGED)
}

put('site/hello.txt', 'hello, world')
put('site/index.html', '<p>home</p>')
put('site/empty.css', '')
put('site/docs/index.htm', '<p>docs</p>')
put('site/docs/a b+#ü.txt', 'odd name')
put('site/docs/deep/data.bin', 'bytes')
put('site/.env', 'PASSWORD=x')
put('site/.git/config', 'secret')
put('site/plain/.hidden/x.txt', 'secret')
put('other/hello.txt', 'the other hello')
put('other/only.txt', 'only in the other')
put('outside/secret.txt', 'secret')
put('site-secrets/key.txt', 'secret')
symlinkSync(join(top, 'outside/secret.txt'), join(top, 'site/link-out.txt'))
symlinkSync(join(top, 'outside'), join(top, 'site/folder-out'))
symlinkSync('.env', join(top, 'site/link-hidden.txt'))
symlinkSync('hello.txt', join(top, 'site/link-in.txt'))
symlinkSync('loop', join(top, 'site/loop'))

const siteOf = (config: Record<string, JsonValue> = {}) => {
  const clock = { ...manualClock(), now: () => NOW }
  return build<Handler>(ResourceHandler, { directories: [join(top, 'site')], ...config }, { clock })
}

async function ask(path: string, parts: ExchangeParts & { method?: string } = {}, config = {}): Promise<Response> {
  await using built = await siteOf(config)
  const exchange = exchangeFor(parts.method ?? 'GET', 'http://gw.example.com/', parts)
  // Not normalized, as after a filter.
  exchange.request.uri = new Uri({ ...partsOf(exchange.request.uri), ...pathAndQuery(path) })
  return built.object(exchange)
}

function partsOf({ scheme, userInfo, host, port, rawFragment }: Uri) {
  return { scheme, userInfo, host, port, rawFragment }
}

function pathAndQuery(path: string) {
  const [rawPath = '', rawQuery = null] = path.split('?')
  return { rawPath, rawQuery }
}

const textOf = async (response: Response) => Buffer.from(await response.body.read(10_000_000)).toString()

test('responds with the file and its metadata', async () => {
  const response = await ask('/hello.txt')
  assert.equal(response.status, 200)
  assert.deepEqual(
    [...response.headers],
    [
      ['Last-Modified', LAST_MODIFIED],
      ['ETag', ETAG],
      ['Cache-Control', 'no-cache'],
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Accept-Ranges', 'bytes'],
    ],
  )
  assert.equal(response.body.length, 12)
  assert.equal(await textOf(response), 'hello, world')
})

test('an empty file is an empty response', async () => {
  const response = await ask('/empty.css')
  assert.equal(response.status, 200)
  assert.ok(response.body.isEmpty)
})

test('HEAD has the length and no content', async () => {
  const response = await ask('/hello.txt', { method: 'HEAD', headers: { Range: 'bytes=0-1' } })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-length'), '12')
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.ok(response.body.isEmpty)
})

for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'get']) {
  test(`${method} is not allowed`, async () => {
    const response = await ask('/hello.txt', { method })
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'GET, HEAD')
  })
}

test('names are decoded once', async () => {
  assert.equal(await textOf(await ask('/docs/a%20b+%23%C3%BC.txt')), 'odd name')
})

const notFound = [
  '/missing.txt',
  '/hello.txt/',
  '/hello.txt/x',
  '/.env',
  '/.git/config',
  '/plain/.hidden/x.txt',
  '/plain/',
  '/link-out.txt',
  '/folder-out/secret.txt',
  '/folder-out',
  '/folder-out/',
  '/link-hidden.txt',
  '/loop',
  '/../outside/secret.txt',
  '/../site-secrets/key.txt',
  '/%2e%2e/outside/secret.txt',
  '/..%2foutside/secret.txt',
  '/hello.txt%00.html',
  `/${'a'.repeat(300)}`,
  `/${'a/'.repeat(3000)}b`,
]

for (const path of notFound) {
  test(`${path.slice(0, 40)} is not found, without a reason`, async () => {
    const response = await ask(path)
    assert.equal(response.status, 404)
    assert.equal(response.body.text(), 'Not Found')
    assert.deepEqual(
      [...response.headers],
      [
        ['Content-Type', 'text/plain; charset=utf-8'],
        ['X-Content-Type-Options', 'nosniff'],
      ],
    )
  })
}

test('dot segments and repeated slashes inside the root are resolved', async () => {
  for (const path of ['/docs/../hello.txt', '/docs/%2e%2e//hello.txt', '/./hello.txt', '//hello.txt'])
    assert.equal(await textOf(await ask(path)), 'hello, world', path)
})

test('a symbolic link inside the root is followed', async () => {
  assert.equal(await textOf(await ask('/link-in.txt')), 'hello, world')
})

test('a directory may itself be a symbolic link, and be switched while it is served', async () => {
  put('releases/1/v.txt', 'one')
  put('releases/2/v.txt', 'two')
  const current = join(top, 'current')
  symlinkSync(join(top, 'releases/1'), current)
  await using built = await siteOf({ directories: [current] })
  const version = async () => textOf(await built.object(exchangeFor('GET', 'http://gw.example.com/v.txt')))

  assert.equal(await version(), 'one')
  symlinkSync(join(top, 'releases/2'), `${current}.next`)
  renameSync(`${current}.next`, current)
  assert.equal(await version(), 'two')
})

test('a pipe is not found, and no request waits for it', async (context) => {
  const pipe = join(top, 'site/pipe')
  try {
    execFileSync('mkfifo', [pipe])
  } catch {
    return context.skip('no mkfifo')
  }
  assert.equal((await ask('/pipe')).status, 404)
})

test('a file without permission is not found, and logged', async (context) => {
  if (process.getuid?.() === 0) return context.skip('root may read everything')
  put('closed/file.txt')
  chmodSync(join(top, 'closed/file.txt'), 0)
  await using built = await siteOf({ directories: [join(top, 'closed')] })
  assert.equal((await built.object(exchangeFor('GET', 'http://gw.example.com/file.txt'))).status, 404)
  assert.equal(built.log.entries.filter(({ level }) => level === 'warn').length, 1)
})

const redirects: readonly [string, string, JsonValue][] = [
  ['/docs', './docs/', {}],
  ['/docs?q=a%20b', './docs/?q=a%20b', {}],
  ['/docs/deep', './deep/', {}],
  ['/static', './static/', { basePath: '/static' }],
  ['//docs', './docs/', {}],
]

for (const [path, location, config] of redirects) {
  test(`${path} is a directory: redirect to ${location}`, async () => {
    const response = await ask(path, {}, config as object)
    assert.equal(response.status, 302)
    assert.equal(response.headers.get('location'), location)
  })
}

test('a redirect stays on the server, with any directory name', async () => {
  for (const name of ['a:b', '@evil.example.com', 'http:', 'javascript:x']) {
    put(`names/${name}/x.txt`)
    const from = `http://gw.example.com/${encodeURIComponent(name)}`
    const response = await ask(new URL(from).pathname, {}, { directories: [join(top, 'names')] })
    assert.equal(response.status, 302)
    const target = new URL(response.headers.get('location') ?? '', from)
    assert.equal(target.origin, 'http://gw.example.com')
    assert.equal(decodeURIComponent(target.pathname), `/${name}/`)
  }
})

test('the response for a directory is the first existing welcome page', async () => {
  const config = { welcomePages: ['index.html', 'index.htm'] }
  assert.equal(await textOf(await ask('/', {}, config)), '<p>home</p>')
  const docs = await ask('/docs/', {}, config)
  assert.equal(await textOf(docs), '<p>docs</p>')
  assert.equal(docs.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal((await ask('/docs/deep/', {}, config)).status, 404)
})

test('without welcome pages a directory is not found, and never listed', async () => {
  assert.equal((await ask('/')).status, 404)
})

test('directories are searched in order', async () => {
  const config = { directories: [join(top, 'other'), join(top, 'site')] }
  assert.equal(await textOf(await ask('/hello.txt', {}, config)), 'the other hello')
  assert.equal(await textOf(await ask('/only.txt', {}, config)), 'only in the other')
  assert.equal(await textOf(await ask('/docs/deep/data.bin', {}, config)), 'bytes')
})

for (const basePath of ['/static', 'static', '/static/', '/st%61tic', '//static']) {
  test(`base path ${basePath}: only paths below it are served`, async () => {
    assert.equal(await textOf(await ask('/static/hello.txt', {}, { basePath })), 'hello, world')
    assert.equal((await ask('/hello.txt', {}, { basePath })).status, 404)
    assert.equal((await ask('/statichello.txt', {}, { basePath })).status, 404)
    assert.equal((await ask('/static/../hello.txt', {}, { basePath })).status, 404)
  })
}

test('a base path of "/" has no effect', async () => {
  assert.equal((await ask('/hello.txt', { method: 'HEAD' }, { basePath: '/' })).status, 200)
})

for (const [headers, status] of [
  [{ 'If-None-Match': ETAG }, 304],
  [{ 'If-Modified-Since': LAST_MODIFIED }, 304],
  [{ 'If-Modified-Since': 'Mon, 01 Jan 2024 00:00:00 GMT' }, 200],
  [{ 'If-Match': '"another"' }, 412],
] as const) {
  test(`${JSON.stringify(headers)} gives ${status} to GET and HEAD`, async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask('/hello.txt', { method, headers })
      assert.equal(response.status, status, method)
      response.body.cancel()
    }
  })
}

test('304 has the validators and no content', async () => {
  const response = await ask('/hello.txt', { headers: { 'If-None-Match': ETAG, Range: 'bytes=0-0' } })
  assert.deepEqual(
    [...response.headers],
    [
      ['Last-Modified', LAST_MODIFIED],
      ['ETag', ETAG],
      ['Cache-Control', 'no-cache'],
    ],
  )
  assert.ok(response.body.isEmpty)
})

const ranges: readonly [Record<string, string | string[]>, number, string, string | null][] = [
  [{ Range: 'bytes=0-4' }, 206, 'hello', 'bytes 0-4/12'],
  [{ Range: 'bytes=-5' }, 206, 'world', 'bytes 7-11/12'],
  [{ Range: 'bytes=12-' }, 416, 'Range Not Satisfiable', 'bytes */12'],
  [{ Range: ['bytes=0-1', 'bytes=3-4'] }, 200, 'hello, world', null],
  [{ Range: 'bytes=0-4', 'If-Range': ETAG }, 206, 'hello', 'bytes 0-4/12'],
  [{ Range: 'bytes=0-4', 'If-Range': '"another"' }, 200, 'hello, world', null],
]

for (const [headers, status, text, contentRange] of ranges) {
  test(`${JSON.stringify(headers)} gives ${status} ${contentRange ?? 'and everything'}`, async () => {
    const response = await ask('/hello.txt', { headers })
    assert.equal(response.status, status)
    assert.equal(response.headers.get('content-range'), contentRange)
    assert.equal(await textOf(response), text)
  })
}

test('a range of an empty file can not be satisfied', async () => {
  const response = await ask('/empty.css', { headers: { Range: 'bytes=0-' } })
  assert.equal(response.status, 416)
  assert.equal(response.headers.get('content-range'), 'bytes */0')
})

const where = '/heap/0/config'
const refusals: readonly [string, JsonValue, string][] = [
  ['no directories', {}, `${where}/directories: expected an array of string; this field is required`],
  ['an empty list', { directories: [] }, `${where}/directories: expected at least one element`],
  ['an empty name', { directories: [''] }, `${where}/directories/0: expected a string that is not empty`],
  [
    'a directory that is not there',
    { directories: [join(top, 'site'), 'missing'] },
    `${where}/directories/1: expected a directory that exists, got "missing"`,
  ],
  [
    'a file in the place of a directory',
    { directories: [join(top, 'site/hello.txt')] },
    `${where}/directories/0: expected a directory that exists, got ${JSON.stringify(join(top, 'site/hello.txt'))}`,
  ],
  [
    'the instance directory, which holds secrets',
    { directories: ['.'] },
    `${where}/directories/0: expected a directory that holds none of the gateway itself, got "."`,
  ],
  [
    'a directory above the instance',
    { directories: ['..'] },
    `${where}/directories/0: expected a directory that holds none of the gateway itself, got ".."`,
  ],
  [
    'a base path that hides a slash',
    { directories: [join(top, 'site')], basePath: '/a%2fb' },
    `${where}/basePath: the path holds an escaped slash`,
  ],
  [
    'a welcome page in another directory',
    { directories: [join(top, 'site')], welcomePages: ['index.html', '../index.html'] },
    `${where}/welcomePages/1: expected the name of a file such as "index.html", got "../index.html"`,
  ],
  [
    'a hidden welcome page',
    { directories: [join(top, 'site')], welcomePages: ['.index'] },
    `${where}/welcomePages/0: expected the name of a file such as "index.html", got ".index"`,
  ],
  [
    'a misspelt field',
    { directories: [join(top, 'site')], welcomePage: [] },
    `${where}/welcomePage: unknown field; did you mean "welcomePages"?`,
  ],
]

for (const [name, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(build(ResourceHandler, config), { code: 'GW_CONFIG_INVALID', message })
  })
}

test('directories may be configuration expressions', async () => {
  await using built = await build<Handler>(
    ResourceHandler,
    { directories: ['${root}/site'], basePath: '${base}' },
    { properties: { root: top, base: '/files' } },
  )
  const response = await built.object(exchangeFor('GET', 'http://gw.example.com/files/hello.txt'))
  assert.equal(await textOf(response), 'hello, world')
})
