import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'

const ROUTE = 'config/routes/old.json'

/** Migrates the files of a folder with --write, and returns the text of the route. */
async function migrated(text: string, ...words: string[]): Promise<string> {
  using folder = new Folder({ [ROUTE]: text })
  const { code, stdout, stderr } = await gateway(['migrate', '--write', ...words, folder.path])
  assert.equal(code, 0, stdout + stderr)
  const result = folder.read(ROUTE)
  const again = await gateway(['migrate', '--write', ...words, folder.path])
  assert.doesNotMatch(again.stdout, /^\+\+\+/m, 'a second migration changes nothing')
  assert.equal(folder.read(ROUTE), result)
  return result
}

test('without --write the diff is shown and nothing changes', async () => {
  const text = '{\n  "handlerObject": "ReverseProxyHandler"\n}\n'
  using folder = new Folder({ [ROUTE]: text })
  const { code, stdout, stderr } = await gateway(['migrate', folder.path])
  assert.equal(code, 0)
  assert.match(stdout, /^- {2}"handlerObject": "ReverseProxyHandler"$/m)
  assert.match(stdout, /^\+ {2}"handler": "ReverseProxyHandler"$/m)
  assert.equal(stderr, '1 file of 1 would be changed; --write changes the files\n')
  assert.equal(folder.read(ROUTE), text)
})

test('files of an instance that are no routes are left out', async () => {
  using folder = new Folder({
    'config/properties.json': '{ "amUrl": "http://am.example.com" }',
    'config/keys/set.json': '{ "keys": [] }',
    'config/more/old.json': '{ "handlerObject": "ReverseProxyHandler" }',
    'config/routes/broken.json': '{ "name": "x" }',
  })
  const { stdout, stderr } = await gateway(['migrate', folder.path])
  assert.doesNotMatch(stdout, /amUrl|set\.json/)
  assert.match(stdout, /more\/old\.json/)
  assert.match(stdout, /broken\.json:1:1: \/handler: expected a Handler reference/)
  assert.match(stderr, /^1 file of 2 would be changed/)
})

test('comments, order and formatting stay as they are', async () => {
  const text = `{
  // the first comment
  "handlerObject": 'Chain', /* in single quotes */
  "heap": { "objects": [
    { "name": "log", "type": "ConsoleLogSink" },
    {
      "name": "Chain",
      "type": "org.forgerock.openig.filter.Chain",
      "config": { "filters": [], "logSink": "log", "handler": "ReverseProxyHandler" }
    },
  ] },
  "condition": "\${true}" // the last one
}
`
  assert.equal(
    await migrated(text),
    `{
  // the first comment
  "handler": 'Chain', /* in single quotes */
  "heap": [
    {
      "name": "Chain",
      "type": "Chain",
      "config": { "filters": [], "handler": "ReverseProxyHandler" }
    },
  ],
  "condition": "\${true}" // the last one
}
`,
  )
})

test('members that are removed take their comma with them, wherever they are', async () => {
  const config = (members: string) => `{ "handler": { "type": "Chain", "config": { ${members} } } }`
  const left = config('"filters": [], "handler": "h"')
  assert.equal(await migrated(config('"logSink": "a", "filters": [], "handler": "h"')), left)
  assert.equal(await migrated(config('"filters": [], "logSink": "a", "handler": "h"')), left)
  assert.equal(await migrated(config('"filters": [], "handler": "h", "logSink": "a"')), left)
  assert.equal(await migrated(config('"filters": [], "handler": "h", "logSink": "a", "temporaryStorage": "b"')), left)
})

test('fields that become one object keep the texts of the values in it', async () => {
  const text = `{
  "handler": {
    "type": "DispatchHandler",
    "config": {
      "bindings": [
        {
          "capture": "all",
          "handler": {
            "type": "Chain", // kept
            "config": { "filters": [], "handler": "ReverseProxyHandler" }
          }
        }
      ]
    }
  }
}
`
  const result = await migrated(text)
  assert.match(result, /"type": "Delegate"/)
  assert.match(result, /"type": "Chain", \/\/ kept/)
  assert.match(result, /"capture": "all"/)
})

test('line breaks and indentation are those of the file', async () => {
  const lines = [
    '\uFEFF{',
    '\t"handler": {',
    '\t\t"type": "SingleSignOnFilter",',
    '\t\t"config": {',
    '\t\t\t"openamUrl": "http://am.example.com/openam",',
    '\t\t\t"realm": "/a"',
    '\t\t}',
    '\t}',
    '}',
    '',
  ]
  const result = await migrated(lines.join('\r\n'))
  assert.ok(result.startsWith('\uFEFF{\r\n\t"handler": {\r\n'))
  assert.doesNotMatch(result, /[^\r]\n|\r\r|^ /m)
  assert.match(result, /^\t\t\t"amService": \{\r\n\t\t\t\t"type": "AmService",\r\n/m)
})

test('a file without a value, and one that is no object, stay as they are', async () => {
  for (const text of ['', '[]\n']) {
    using folder = new Folder({ [ROUTE]: text })
    assert.equal((await gateway(['migrate', '--write', folder.path])).code, 78)
    assert.equal(folder.read(ROUTE), text)
  }
})

test('the newer of two spellings of one field stays', async () => {
  const text = '{ "handlerObject": "old", "handler": "new" }'
  assert.equal(await migrated(text), '{ "handler": "new" }')
})

test('a file that does not parse stays as it is, and the others are migrated', async () => {
  using folder = new Folder({
    'config/routes/bad.json': '{ "handlerObject": ',
    [ROUTE]: '{ "handlerObject": "ReverseProxyHandler" }',
  })
  const { code, stderr } = await gateway(['migrate', '--write', folder.path])
  assert.equal(code, 78)
  assert.match(stderr, /bad\.json:1:\d+: not valid JSON: /)
  assert.equal(folder.read('config/routes/bad.json'), '{ "handlerObject": ')
  assert.equal(folder.read(ROUTE), '{ "handler": "ReverseProxyHandler" }')
})

test('the mode of a file is kept', async () => {
  using folder = new Folder({ [ROUTE]: '{ "handlerObject": "ReverseProxyHandler" }' })
  chmodSync(folder.in(ROUTE), 0o666)
  await gateway(['migrate', '--write', folder.path])
  assert.equal(statSync(folder.in(ROUTE)).mode & 0o777, 0o666)
})

test('parts that a person must decide are named with their place in the new text', async () => {
  const text = `{
  "heap": { "objects": [] },
  "handler": {
    "type": "Chain",
    "config": {
      "filters": [
        { "type": "OAuth2ResourceServerFilter", "config": { "scopes": [ "a" ], "tokenInfoEndpoint": "http://am/info" } },
        { "type": "NoSuchFilter" }
      ],
      "handler": "ReverseProxyHandler"
    }
  }
}
`
  using folder = new Folder({ [ROUTE]: text })
  const { code, stdout } = await gateway(['migrate', folder.in(ROUTE)])
  assert.equal(code, 0)
  assert.match(
    stdout,
    /old\.json:\d+:\d+: \/handler\/config\/filters\/0\S+\/type: OpenAmAccessTokenResolver is deprecated/,
  )
  assert.match(stdout, /old\.json:\d+:\d+: \/handler\/config\/filters\/1\/type: unknown type "NoSuchFilter"/)
})

const REGISTRATION = (secret: string) =>
  `{ "handler": "h", "heap": [ { "name": "r", "type": "ClientRegistration", "config": { "clientId": "c", "issuer": "i", "clientSecret": ${JSON.stringify(secret)} } } ] }`

test('secrets in clear text move to files of the instance on request', async () => {
  using folder = new Folder({
    'config/routes/a.json': REGISTRATION('first'),
    'config/routes/b.json': REGISTRATION('second'),
    'config/routes/c.json': REGISTRATION('first'),
    'config/routes/d.json': REGISTRATION("${env['SECRET']}"),
  })
  const shown = await gateway(['migrate', '--move-secrets', folder.path])
  assert.match(shown.stderr, /2 secrets would be moved/)
  assert.throws(() => folder.read('secrets/client.secret'), 'nothing is written without --write')

  const { code, stderr } = await gateway(['migrate', '--write', '--move-secrets', folder.path])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /2 secrets moved to secrets/)
  assert.equal(folder.read('secrets/client.secret'), 'first')
  assert.equal(folder.read('secrets/client.secret-2'), 'second')
  assert.equal(statSync(folder.in('secrets/client.secret')).mode & 0o777, 0o600)
  const config = (name: string) => JSON.parse(folder.read(`config/routes/${name}.json`)).heap[0].config
  const store = { type: 'FileSystemSecretStore', config: { directory: 'secrets', format: 'PLAIN' } }
  assert.deepEqual(config('a'), { clientId: 'c', issuer: 'i', clientSecretId: 'client.secret', secretsProvider: store })
  assert.equal(config('b').clientSecretId, 'client.secret-2')
  assert.deepEqual(config('c'), config('a'))
  assert.doesNotMatch(folder.read('config/routes/d.json'), /FileSystemSecretStore/)
})

test('secrets of a file outside of an instance can not be moved', async () => {
  using folder = new Folder({ 'old.json': REGISTRATION('first') })
  const { code, stderr } = await gateway(['migrate', '--move-secrets', folder.in('old.json')])
  assert.equal(code, 64)
  assert.match(stderr, /--move-secrets needs files of one instance/)
})

test('a file that does not exist is named', async () => {
  const { code, stderr } = await gateway(['migrate', '/no/such/file.json'])
  assert.equal(code, 64)
  assert.match(stderr, /\/no\/such\/file\.json can not be read/)
})

test('a file that is not UTF-8, not an object or not regular is left and reported', async () => {
  using folder = new Folder({ [ROUTE]: '{}', 'config/routes/list.json': '[{ "id": "rule" }]' })
  const bytes = Buffer.from('{ "monitor": true, "handler": "ReverseProxyHandler", "_a": "caf\xe9" }', 'latin1')
  writeFileSync(folder.in(ROUTE), bytes)
  execFileSync('mkfifo', [folder.in('config/routes/pipe.json')])
  const { code, stderr } = await gateway(['migrate', '--write', folder.path])
  assert.equal(code, 78)
  assert.match(stderr, /old\.json:1:64: not valid JSON: the file is not UTF-8 text; save it as UTF-8$/m)
  assert.match(stderr, /list\.json: expected a JSON object$/m)
  assert.match(stderr, /pipe\.json: it is not a regular file$/m)
  assert.deepEqual(readFileSync(folder.in(ROUTE)), bytes)
})

test('a directory without files is a usage error', async () => {
  using folder = new Folder({ 'notes.txt': '' })
  const { code, stderr } = await gateway(['migrate', folder.path])
  assert.equal(code, 64)
  assert.match(stderr, /has no files to migrate: expected an instance, with a folder config, or \*\.json files$/m)
})

test('a value with a token is no part to decide; an unknown key of a document or an object is one', async () => {
  const am = { url: '&{amUrl}', agent: { username: 'a', passwordSecretId: 'agent' }, secretsProvider: 'S' }
  const route = {
    services: [],
    heap: [
      { name: 'S', type: 'SystemAndEnvSecretStore', remark: 'x', timer: true },
      { name: 'Am', type: 'AmService', config: am },
    ],
    handler: { type: 'StaticResponseHandler', config: { status: { $int: '&{status|200}' }, entty: '&{text}' } },
  }
  using folder = new Folder({ [ROUTE]: JSON.stringify(route) })
  const { stdout } = await gateway(['migrate', folder.path])
  const decisions = stdout.split('\n').filter((line) => line !== '')
  assert.deepEqual(
    decisions.map((line) => line.slice(line.indexOf(' ') + 1)),
    [
      '/heap/0/remark: unknown field, and no decorator of that name',
      '/handler/config/entty: unknown field; did you mean "entity"?',
      '/services: unknown field, and no decorator of that name',
    ],
  )
})

test('a reference written as { "name": ... } becomes the name', async () => {
  const heap = '[{ "name": "D", "type": "StaticResponseHandler", "config": { "status": 204 } }]'
  const chain = (last: string) => `{ "type": "Chain", "config": { "filters": [], "handler": ${last} } }`
  const text = (handler: string) => `{ "heap": ${heap}, "handler": ${chain(handler)} }`
  assert.equal(await migrated(text('{ "name": "D" }')), text('"D"'))
})
