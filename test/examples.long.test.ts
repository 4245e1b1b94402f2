// Every instance of examples/ starts, and the commands of its README print what it shows.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BrowserLike } from '#test/browser-like'
import { isShownLine } from '#test/guide'
import { RunningExample } from '#test/running-example'

const EXAMPLES = join(import.meta.dirname, '..', 'examples')
const names = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const missing = ['curl', 'openssl', 'grep', 'sed'].filter((program) => spawnSync(program, ['--version']).error)
const options = { skip: missing.length > 0 && `not installed: ${missing.join(', ')}`, timeout: 120_000 }

async function checkCommands(example: RunningExample): Promise<void> {
  for (const { commands, shown, printed } of await example.runCommands()) {
    for (const line of shown) {
      assert.ok(
        printed.some((each) => isShownLine(line, each)),
        `${commands}\nshould print: ${line}\nprinted:\n${printed.join('\n')}`,
      )
    }
  }
}

test('the five examples have a README, and the list of examples names them', () => {
  assert.equal(names.length, 5)
  const list = readFileSync(join(EXAMPLES, 'README.md'), 'utf8')
  for (const name of names) {
    assert.ok(existsSync(join(EXAMPLES, name, 'README.md')), name)
    assert.ok(list.includes(`(${name}/README.md)`), name)
  }
})

for (const name of names.filter((each) => each !== 'openid-connect-login')) {
  test(`the example ${name} runs as its README says`, options, async () => {
    await using example = await RunningExample.start(name)
    await checkCommands(example)
  })
}

test('the example openid-connect-login logs a user in and passes the user to the application', options, async () => {
  await using example = await RunningExample.start('openid-connect-login')
  await checkCommands(example)
  const browser = new BrowserLike()
  const form = await browser.open(example.withPorts('http://localhost:8080/portal/'))
  assert.equal(form.status, 200, form.text)
  let page = await browser.submit(form, { login: 'jane', password: 'any' })
  // The consent page of the provider.
  if (page.text.includes('<form')) page = await browser.submit(page)
  assert.equal(page.status, 200, page.text)
  const { url, headers } = JSON.parse(page.text) as { url: string; headers: Record<string, string> }
  assert.equal(url, '/portal/')
  assert.equal(headers['x-user'], 'jane')
})
