// Commands of README and guides, run in order as a reader would: those about the demo, and the first steps with an instance.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Folder } from '#test/folder'
import { type CommandBlock, commandBlocks, guideBlocks, missingLines } from '#test/guide'
import { GATEWAY_COMMAND } from '#test/installation'
import { sendRequest } from '#test/send-request'
import { DEMO, SpawnedCommand } from '#test/spawned-command'
import { waitUntil } from '#test/waiting'

const root = join(import.meta.dirname, '..')
const options = { skip: spawnSync('curl', ['--version']).status !== 0 && 'there is no curl here', timeout: 120_000 }
const readGuide = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Runs blocks in one shell, and fails where a line that the document shows for one is not printed. */
async function runBlocks(blocks: readonly CommandBlock[], replaced: Readonly<Record<string, string>>, cwd: string) {
  const script = blocks.map(({ commands }) => `${commands}\necho; echo '--- end of block'`).join('\n')
  const withPorts = Object.entries(replaced).reduce((text, [from, to]) => text.replaceAll(from, to), script)
  // -s: without a terminal curl would draw its progress.
  const quiet = withPorts.replaceAll(/\bcurl (?!-s )/g, 'curl -s --max-time 20 ')
  const shell = `gateway() { '${GATEWAY_COMMAND}' "$@"; }\n${quiet}`
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', shell], { cwd, timeout: 90_000 })
  const printed = stdout.replaceAll('\r', '').split('--- end of block\n')
  for (const [at, block] of blocks.entries()) {
    assert.deepEqual(missingLines(block, printed[at] ?? ''), [], `${block.commands}\nprinted:\n${printed[at]}`)
  }
  return stdout
}

test('the guides to OAuth 2.0 and to login show what the demo answers', options, async () => {
  using folder = new Folder({ 'my-gateway/secrets/none': '' })
  await using demo = new SpawnedCommand([...DEMO, '--json'])
  const { traffic, admin, accessManager, instance } = JSON.parse(
    (await demo.writes(/^\{\n[\s\S]*?^\}$/m))[0],
  ) as Record<string, string>
  const replaced = {
    'http://127.0.0.1:8080': traffic as string,
    'http://127.0.0.1:8085': admin as string,
    'http://127.0.0.1:8088/am': accessManager as string,
  }
  const jwt = guideBlocks('oauth2', 'json').find((block) => block.includes('"name": "jwt"')) ?? assert.fail('no route')
  const atManager = jwt.replaceAll('http://127.0.0.1:8088/am', accessManager as string)
  writeFileSync(join(instance as string, 'config/routes/jwt.json'), atManager)
  await waitUntil('the route of the guide serves', async () => (await sendRequest(`${traffic}/jwt`)).status === 401)
  for (const guide of ['oauth2', 'login']) {
    // Values that differ each time.
    const markdown = readGuide(`docs/guide/${guide}.md`).replaceAll(
      /(?<="access_token":")[\w-]+|(?<="expires_in":)\d+/g,
      '...',
    )
    const blocks = commandBlocks(markdown).filter(({ commands }) => commands !== 'npm start\n')
    assert.ok(blocks.length >= 5)
    await runBlocks(blocks, replaced, folder.path)
  }
})

test('the first steps of README and of the guide work with a new instance', options, async () => {
  using folder = new Folder()
  const guide = commandBlocks(readGuide('docs/guide/getting-started.md'))
  const readme = commandBlocks(readGuide('README.md'))
  const [init, run, ...steps] = guide
  assert.deepEqual(run?.commands, 'gateway run --instance my-gateway\n')
  await runBlocks([init as CommandBlock], {}, folder.path)
  const adminFile = folder.in('my-gateway/config/admin.json')
  writeFileSync(adminFile, readFileSync(adminFile, 'utf8').replaceAll(/"port": \d+/g, '"port": 0'))

  const application = createServer((request, response) => response.end(`shop ${request.headers['x-client-address']}`))
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve))
  await using running = new SpawnedCommand(['run', '--instance', folder.in('my-gateway')])
  try {
    const [, line] = await running.writes(/^(\{.*"message":"the gateway is ready".*\})$/m)
    const { ports, adminPort } = JSON.parse(line as string) as { ports: number[]; adminPort: number }
    const routeOf = (markdown: string): string => /^```json\n([\s\S]*?)^```/m.exec(markdown)?.[1] ?? assert.fail()
    const app = routeOf(readGuide('docs/guide/getting-started.md'))
    const { port } = application.address() as AddressInfo
    const shop = routeOf(readGuide('README.md')).replace('localhost:3000', `localhost:${port}`)
    writeFileSync(folder.in('my-gateway/config/routes/app.json'), app)
    writeFileSync(folder.in('my-gateway/config/routes/shop.json'), shop)
    writeFileSync(folder.in('draft.json'), app.replace('HeaderFilter', 'HeaderFiltr'))
    writeFileSync(folder.in('request.json'), '{ "headers": { "X-Kind": ["a"] } }')
    const shopUrl = `http://localhost:${ports[0]}/shop`
    await waitUntil('the route of the README serves', async () => (await sendRequest(shopUrl)).status === 200)

    const replaced = {
      'curl http://localhost:8080': `curl http://localhost:${ports[0]}`,
      'http://localhost:8085': `http://localhost:${adminPort}`,
    }
    const output = await runBlocks(withoutShop(steps), replaced, folder.path)
    assert.match(output, /Hello from the gateway/)
    assert.match(output, /"mode":"PRODUCTION"/)
    const first = readme.findIndex(({ commands }) => commands.startsWith('bin/gateway init'))
    const ofReadme = readme
      .slice(first + 1)
      .map((block) => ({ ...block, commands: block.commands.replaceAll('bin/gateway', 'gateway') }))
    assert.match(await runBlocks(ofReadme, replaced, folder.path), /shop 127\.0\.0\.1[\s\S]*Route: shop/)
  } finally {
    application.closeAllConnections()
    application.close()
  }
})

/** The guide has no route for the shop of the README, which its list of tried routes would show. */
function withoutShop(steps: readonly CommandBlock[]): CommandBlock[] {
  return steps.map(({ commands, output }) => ({ commands, output: output.filter((line) => !line.includes('shop')) }))
}
