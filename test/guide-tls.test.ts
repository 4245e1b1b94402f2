// The recipes of the guide to TLS, with its files, its certificates and its commands.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { readDocument } from '#json'
import { Folder } from '#test/folder'
import { RunningGateway, textRoute } from '#test/gateway'
import { guideBlocks } from '#test/guide'
import { waitUntil } from '#test/waiting'

const missing = ['curl', 'openssl'].filter((program) => spawnSync(program, ['version']).error)
const options = { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` }

const documents = guideBlocks('tls', 'json').map((block) => readDocument(block).value as Record<string, unknown>)
const commands = guideBlocks('tls', 'sh')

/** The JSON of the guide that has this text. */
const documentWith = (text: string) =>
  documents.find((each) => JSON.stringify(each).includes(text)) ?? assert.fail(text)
const commandWith = (text: string) => commands.find((each) => each.includes(text)) ?? assert.fail(text)

interface AdminJson {
  readonly connectors: readonly { readonly port: number; readonly tls?: string }[]
}

/** admin.json of the guide, on free ports of the loopback interface. */
function adminOnFreePorts(json: Record<string, unknown>): Record<string, unknown> {
  const { connectors, ...rest } = json as unknown as AdminJson
  return { ...rest, connectors: connectors.map((connector) => ({ ...connector, port: 0, host: '127.0.0.1' })) }
}

/** Runs commands of the guide in a folder in which my-gateway is the instance. */
async function run(folder: Folder, script: string): Promise<string> {
  return (await promisify(execFile)('/bin/sh', ['-e', '-c', script], { cwd: folder.path, timeout: 30_000 })).stdout
}

/** The files of secrets of my-gateway. */
function secretsOf(folder: Folder, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`secrets/${name}`, folder.read(`my-gateway/secrets/${name}`)]))
}

describe('guide to TLS', options, () => {
  test('two names, the redirect and HSTS, and a renewal without a restart', async () => {
    using folder = new Folder()
    mkdirSync(folder.in('my-gateway/secrets'), { recursive: true })
    const generate = commandWith('for name in shop api')
    await run(folder, generate)
    const pairs = ['shop.crt', 'shop.key', 'api.crt', 'api.key']
    await using gateway = await RunningGateway.start({
      admin: adminOnFreePorts(documentWith('serverNames')),
      files: { ...secretsOf(folder, ...pairs), 'config/config.json': documentWith('acme-challenge') },
      routes: { all: textRoute('a route') },
    })
    const [plain, secure] = gateway.gateway.ports as [number, number]
    const atPorts = (script: string) => script.replaceAll(':8080', `:${plain}`).replaceAll(':8443', `:${secure}`)
    const shown = await run(folder, atPorts(commandWith('grep -i strict')))
    assert.equal(
      shown.replaceAll('\r', ''),
      '308 https://shop.example.com/cart?id=7\nstrict-transport-security: max-age=31536000; includeSubDomains\n',
    )
    const ask = (name: string, path = '/') =>
      run(
        folder,
        `curl -s --cacert my-gateway/secrets/${name}.crt --resolve ${name}.example.com:${secure}:127.0.0.1 https://${name}.example.com:${secure}${path}`,
      )
    assert.equal(await ask('shop'), 'a route')
    assert.equal(await ask('api'), 'a route')
    const challenge = await run(folder, `curl -s http://127.0.0.1:${plain}/.well-known/acme-challenge/x`)
    assert.equal(challenge, 'a route')

    // The commands again: other certificates, which only the new files of the instance can prove.
    await run(folder, generate)
    for (const [path, content] of Object.entries(secretsOf(folder, ...pairs))) gateway.instance.write(path, content)
    await waitUntil('the renewed certificate is sent', () =>
      ask('api').then(
        (text) => text === 'a route',
        () => false,
      ),
    )
  })

  test('mutual TLS: clients of the authority are admitted by their subject, others get no connection', async () => {
    using folder = new Folder()
    mkdirSync(folder.in('my-gateway/secrets'), { recursive: true })
    await run(folder, `${commandWith('for name in shop api')}${commandWith('authority.key')}`)
    await using gateway = await RunningGateway.start({
      admin: adminOnFreePorts(documentWith('"mutual"')),
      files: secretsOf(folder, 'shop.crt', 'shop.key', 'clients'),
      routes: { partners: documentWith('OnlyOrders') },
    })
    const [secure] = gateway.gateway.ports as [number]
    const request = commandWith('--cert client.crt').replaceAll(':8443', `:${secure}`)
    assert.match(await run(folder, request), /OU=orders/)
    const without = request.replace('--cert client.crt --key client.key', '')
    await assert.rejects(run(folder, without))
    const other = '-subj "/OU=sales/CN=client-8"'
    execFileSync(
      '/bin/sh',
      [
        '-e',
        '-c',
        commandWith('authority.key')
          .split('\n')
          .slice(1)
          .join('\n')
          .replace(/-subj "[^"]*"/, other),
      ],
      {
        cwd: folder.path,
        stdio: 'pipe',
      },
    )
    const refused = request.replace('curl -s', "curl -s -o /dev/null -w '%{http_code}'")
    assert.equal(await run(folder, refused), '401')
  })
})
