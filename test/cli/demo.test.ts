// The demo from start to stop: every printed command has the printed result, and no file remains.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { request } from 'undici'
import { DEMO_ROWS } from '#dev'
import { DEMO, SpawnedCommand } from '#test/spawned-command'
import { waitUntil } from '#test/waiting'

const root = join(import.meta.dirname, '..', '..')
/** Variables set by earlier lines, as in a terminal. */
const variables: Record<string, string> = {}
const shell = async (line: string): Promise<string> => {
  // -s: without a terminal curl would draw its progress.
  const quiet = line.replaceAll(/curl (?!-s )/g, 'curl -s ')
  const env = { ...process.env, ...variables }
  return (await promisify(execFile)('/bin/sh', ['-c', quiet], { cwd: root, env, timeout: 30_000 })).stdout
}

interface Summary {
  readonly traffic: string
  readonly admin: string
  readonly application: string
  readonly accessManager: string
  readonly instance: string
  readonly rows: readonly { readonly title: string; readonly line: string }[]
}

let demo: SpawnedCommand
let summary: Summary

before(async () => {
  demo = new SpawnedCommand([...DEMO, '--json'])
  summary = JSON.parse((await demo.writes(/^\{\n[\s\S]*?^\}$/m))[0]) as Summary
})

after(async () => {
  await demo[Symbol.asyncDispose]()
})

const curl = await shell('command -v curl').catch(() => '')

for (const [at, row] of DEMO_ROWS.entries()) {
  test(`${row.title}: the printed command has the printed result`, {
    skip: curl === '' && 'curl is not installed',
  }, async () => {
    const { line, title } = summary.rows[at] as Summary['rows'][number]
    assert.equal(title, row.title)
    // A changed route is loaded, and an audit event written, after a delay that depends on the load of the machine.
    let output = ''
    const isShown = async () => {
      output = await shell(line)
      return row.shows.test(output)
    }
    await waitUntil('the command had its result', isShown, 15_000).catch(() => assert.match(output, row.shows))
    const variable = /^([A-Z]+)=/.exec(line)?.[1]
    if (variable !== undefined) variables[variable] = output.trim()
    if (row.logs !== undefined) await demo.writes(row.logs)
  })
}

test('the home page of the application is reached through the gateway', async () => {
  const page = await fetch(`${summary.traffic}/app`)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /A protected application[\s\S]*Not logged in[\s\S]*Next: Single sign-on/)
})

/** Follows redirects and stores cookies, as a browser does; returns the last page. */
class BrowserClient {
  #cookie = ''
  url = ''

  async open(url: string, form?: Record<string, string>): Promise<{ status: number; text: string }> {
    this.url = url
    // Not `fetch`: its Sec-Fetch-Mode is not `navigate`.
    const response = await request(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        Cookie: this.#cookie,
        ...(form !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      body: form === undefined ? null : String(new URLSearchParams(form)),
    })
    const [cookie] = [response.headers['set-cookie'] ?? []].flat()
    if (cookie !== undefined) this.#cookie = cookie.split(';')[0]!
    const { location } = response.headers
    const text = await response.body.text()
    if (location !== undefined) return this.open(new URL(String(location), url).href)
    return { status: response.statusCode, text }
  }

  async logIn({ text }: { readonly text: string }): Promise<{ status: number; text: string }> {
    const authId = /name="authId" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail(`no login page:\n${text}`)
    return this.open(this.url, { authId, IDToken1: 'demo', IDToken2: 'changeit' })
  }
}

test('a browser logs in, and again for a page whose policy needs a higher level', async () => {
  const browser = new BrowserClient()
  const home = await browser.logIn(await browser.open(`${summary.traffic}/home`))
  assert.match(home.text, /Logged in as <strong>demo<\/strong> by single sign-on/)
  assert.equal((await browser.open(`${summary.traffic}/home/slow`)).status, 403)
  const stronger = await browser.open(`${summary.traffic}/home/download?bytes=10`)
  const file = await browser.logIn(stronger)
  assert.equal(file.text, '..........')
  assert.equal((await browser.open(`${summary.traffic}/home/download?bytes=9`)).text, '.........')
  await browser.open(`${summary.traffic}/home/logout`)
  assert.match((await browser.open(`${summary.traffic}/home`)).text, /name="authId"/)
})

/** Runs the commands of a guide in order, and checks for the described output. */
async function runGuide(name: string): Promise<void> {
  const guide = readFileSync(join(root, 'docs', 'guide', name), 'utf8')
  const fences = (language: string): string[] =>
    [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, kind, text]) => (kind === language ? [text!] : []))
  const here = (text: string): string =>
    text
      .replaceAll('http://127.0.0.1:8080', summary.traffic)
      .replaceAll('http://127.0.0.1:8085', summary.admin)
      .replaceAll('http://127.0.0.1:8088/am', summary.accessManager)
  const saved = fences('json').find((json) => json.includes('"name": "jwt"'))
  if (saved !== undefined) {
    writeFileSync(join(summary.instance, 'config', 'routes', 'jwt.json'), here(saved))
    await demo.writes(/"route":"jwt"/)
  }
  const commands = fences('sh').filter((lines) => !/^(?:npm|printf) /.test(lines))
  const output = (await shell(here(commands.join('')))).replaceAll('\r', '')
  // Access tokens differ in each run.
  const expected = fences('text').flatMap((text) =>
    text.split('\n').filter((line) => !line.startsWith('{"access_token"')),
  )
  for (const line of expected) assert.ok(output.includes(line), `${line}\n\nis not in\n\n${output}`)
}

for (const guide of ['oauth2.md', 'login.md'])
  test(
    `${guide}: the commands of the guide have the described results`,
    { skip: curl === '' && 'curl is not installed' },
    () => runGuide(guide),
  )

test('without --json each request is one readable line below the examples', async () => {
  await using readable = new SpawnedCommand([...DEMO])
  const [, traffic = ''] = await readable.writes(/^ {2}traffic +(http:\S+)\/app\/$/m)
  await readable.writes(/^Ctrl-C stops the demo\./m)
  await fetch(`${traffic}/protected/echo`)
  await readable.writes(
    /^\d\d:\d\d:\d\d\.\d{3} AUDIT GET http:\S+\/protected\/echo 401 route=oauth2 decision=DENIED by=gateway\+_router\+oauth2\+tokens reason="no access token"$/m,
  )
  assert.doesNotMatch(readable.stdout, /^\{/m)
  readable.kill('SIGINT')
  assert.deepEqual(await readable.exit, { code: 0, signal: null })
})

test('Ctrl-C ends the demo and removes its files', async () => {
  assert.ok(existsSync(summary.instance))
  demo.kill('SIGINT')
  assert.deepEqual(await demo.exit, { code: 0, signal: null })
  assert.ok(!existsSync(summary.instance))
  assert.doesNotMatch(demo.stdout, /"level":"error"/)
  assert.equal(demo.stderr, '')
})
