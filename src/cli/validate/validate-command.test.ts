import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { HOSTILE_NAMES, UNUSUAL_NAMES } from '#test/hostile-names'

const HANDLER = '"handler": { "type": "StaticResponseHandler", "config": { "status": 200 } }'

/** The output lines of a check, without the folder. */
async function validate(folder: Folder, ...words: string[]) {
  const { code, stdout, stderr } = await gateway(['validate', ...words])
  const lines = (text: string) =>
    text
      .replaceAll(`${folder.path}/`, '')
      .split('\n')
      .filter((line) => line !== '')
  return { code, stdout: lines(stdout), stderr: lines(stderr) }
}

test('a correct instance is valid, nested routes included', async () => {
  using folder = new Folder({
    'config/routes/outer.json': '{ "handler": { "type": "Router", "config": { "directory": "inner" } } }',
    'config/inner/one.json': `{ ${HANDLER} }`,
    'config/inner/two.json': `{ "name": "a", "condition": "\${request.method == 'GET'}", ${HANDLER} }`,
  })
  assert.deepEqual(await validate(folder, '--instance', folder.path), {
    code: 0,
    stdout: ['valid: 3 route files and the files around them'],
    stderr: [],
  })
})

test('every problem of every file is reported with its position', async () => {
  using folder = new Folder({
    'config/admin.json': '{\n  "conectors": [],\n  "mode": "TEST"\n}',
    'config/routes/a.json':
      '{\n  "condition": "${find(request.uri.path, \'^/x\'}",\n  "handler": { "type": "StaticResponseHandlr" }\n}',
    'config/routes/b.json': '{ "handler": "Missing" }',
    'config/routes/c.json': '{\n  "handler":\n}',
    'config/routes/d.json': `{ "name": "e", "condition": "\${request.method == 'GET'}", ${HANDLER} }`,
    'config/routes/e.json': `{\n  ${HANDLER}\n}`,
    'config/routes/outer.json': '{ "handler": { "type": "Router", "config": { "directory": "inner" } } }',
    'config/inner/f.json': '{ "handler": 7 }',
  })
  const { code, stdout, stderr } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 78)
  assert.deepEqual(stdout, [
    'config/admin.json:2:3: /conectors: unknown field, and no decorator of that name; did you mean "connectors"?',
    'config/admin.json:3:3: /mode: expected one of "PRODUCTION", "DEVELOPMENT", got "TEST"',
    'config/inner/f.json:1:3: /handler: expected the name of a Handler or an object { "type": ... }, got 7',
    'config/routes/a.json:2:3: /condition: "${find(request.uri.path, \'^/x\'}" is not a valid expression: expected ")", found "}"',
    'config/routes/a.json:3:16: /handler/type: unknown type "StaticResponseHandlr"; did you mean "StaticResponseHandler"?',
    'config/routes/b.json:1:3: /handler: no Handler named "Missing" in this heap or its parents',
    'config/routes/c.json:3:1: not valid JSON: expected a value, got "}"',
    'config/routes/e.json:1:1: /name: the name "e" is already taken by d.json',
  ])
  assert.deepEqual(stderr, ['8 problems in 6 files'])
})

test('names that other systems or readers take for another one are problems of routes, scripts and ids', async () => {
  using folder = new Folder()
  for (const [at, name] of HOSTILE_NAMES.entries()) {
    folder.write(`scripts/groovy/${name}.groovy`, '')
    // Routers read no folders in their own.
    if (!name.includes('/')) folder.write(`config/routes/${name}.json`, `{ "_id": "r${at}", ${HANDLER} }`)
  }
  folder.write('config/routes/id.json', `{ "_id": "aux", ${HANDLER} }`)
  folder.write('config/routes/name.json', `{ "name": "a\\u0000b", ${HANDLER} }`)
  writeFileSync(
    Buffer.concat([Buffer.from(folder.in('config/routes/')), Buffer.from([0xff]), Buffer.from('.json')]),
    '{}',
  )
  for (const name of UNUSUAL_NAMES) folder.write(`scripts/javascript/${name}.js`, '')
  const { code, stdout } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 78)
  const routes = HOSTILE_NAMES.filter((name) => !name.includes('/')).length
  const found = (start: string) => stdout.filter((line) => line.startsWith(start))
  assert.equal(found('scripts/groovy/').length, HOSTILE_NAMES.length, stdout.join('\n'))
  assert.deepEqual(found('scripts/javascript/'), [])
  assert.equal(found('config/routes/').length, routes + 3, stdout.join('\n'))
  const text = stdout.join('\n')
  assert.match(
    text,
    /id\.json:1:3: \/_id: the name is that of a device on some systems, as a file of this id would have it/,
  )
  assert.match(text, /name\.json:1:3: \/name: the name has the character U\+0000/)
  assert.match(text, /the name of the file is not UTF-8, so that it can not be read; rename it/)
})

test('routes and scripts that other file systems take for one, or that are not shown as they are, are problems', async () => {
  using folder = new Folder({
    'config/routes/Shop.json': `{ ${HANDLER} }`,
    'config/routes/shop.json': `{ "_id": "other", ${HANDLER} }`,
    'config/routes/a.json': `{ "_id": "A1", "name": "caf\u00e9", ${HANDLER} }`,
    'config/routes/b.json': `{ "_id": "a1", ${HANDLER} }`,
    'config/routes/c.json': `{ "name": "cafe\u0301", ${HANDLER} }`,
    'config/routes/d.json': `{ "name": "a\u202eb", ${HANDLER} }`,
    'scripts/groovy/Check.groovy': '',
    'scripts/groovy/check.groovy': '',
    'scripts/groovy/a\u202eyvoorg.txt': '',
  })
  const { code, stdout } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 78)
  const remedy = 'so that some file systems take both for one file; rename one of them'
  assert.deepEqual(stdout.toSorted(), [
    'config/routes/b.json:1:3: /_id: the id "a1" differs from "A1" of a.json by case only',
    'config/routes/c.json:1:3: /name: the name "cafe\u0301" differs from "caf\u00e9" of a.json by case or Unicode form only',
    'config/routes/d.json:1:3: /name: the name has the character U+202E, which is not shown or changes the order of others',
    `config/routes/shop.json:1:1: the name differs from "Shop.json" by case or Unicode form only, ${remedy}`,
    'scripts/groovy/a\\u202eyvoorg.txt: the name has the character U+202E, which is not shown or changes the order of others; rename the file',
    `scripts/groovy/check.groovy: the name differs from "groovy/Check.groovy" by case or Unicode form only, ${remedy}`,
  ])
})

test('problems of routes are reported although config.json is invalid', async () => {
  using folder = new Folder({
    'config/config.json': '{ "handler": { "type": "Routr" } }',
    'config/routes/a.json': '{ "handler": "InNoHeap", "timr": true, "capture": "all" }',
  })
  const { stdout } = await validate(folder, '--instance', folder.path)
  assert.deepEqual(stdout, [
    'config/config.json:1:16: /handler/type: unknown type "Routr"; did you mean "Router"?',
    'config/routes/a.json:1:3: /handler: no Handler named "InNoHeap" in this heap or its parents',
    'config/routes/a.json:1:26: /timr: unknown field, and no decorator of that name; did you mean "timer"?',
  ])
})

test('problems of all kinds in one file are reported together', async () => {
  using folder = new Folder({
    'config/routes/a.json': `{
  "condition": "\${find(request.uri.path, '^/x'}",
  "heap": [
    { "name": "header", "type": "HeaderFilter", "config": { "messageType": "REQUEST", "ad": {} } },
    { "name": "script", "type": "ScriptableFilter", "config": { "type": "application/javascript", "file": "gone.js" } },
    { "name": "chain", "type": "Chain", "config": { "filters": ["header", "missing"], "handler": "nothing" } },
    { "name": "odd", "type": "Chain", "config": { "filters": 7, "handler": "nowhere" } },
    { "name": "typo", "type": "HeaderFiltr" }
  ],
  "handler": {
    "type": "Chain",
    "config": { "filters": [{ "type": "CorsFiltr" }, "typo", "script", "missing"], "handler": "gone" }
  }
}`,
  })
  const { stdout } = await validate(folder, '--instance', folder.path)
  assert.deepEqual(
    stdout.map((line) =>
      line
        .replace(/^config\/routes\/a\.json:(\d+):\d+: /, '$1 ')
        .replace(/(; did you mean| is not a valid|: there is no| in this heap).*/, ''),
    ),
    [
      '2 /condition: "${find(request.uri.path, \'^/x\'}"',
      '4 /heap/0/config/ad: unknown field',
      '5 /heap/1/config/file',
      '6 /heap/2/config/filters/1: no Filter named "missing"',
      '6 /heap/2/config/handler: no Handler named "nothing"',
      '7 /heap/3/config/filters: expected an array, got 7',
      '7 /heap/3/config/handler: no Handler named "nowhere"',
      '8 /heap/4/type: unknown type "HeaderFiltr"',
      '12 /handler/config/filters/0/type: unknown type "CorsFiltr"',
      '12 /handler/config/filters/3: no Filter named "missing"',
      '12 /handler/config/handler: no Handler named "gone"',
    ],
  )
})

test('routes are built as far as possible if an object of config.json can not be built', async () => {
  using folder = new Folder({
    'config/config.json': `{
  "heap": [
    { "name": "bad", "type": "StaticResponseHandler", "config": { "status": "many" } },
    { "name": "good", "type": "StaticResponseHandler", "config": { "status": 200 } },
    { "name": "router", "type": "Router", "config": { "directory": "other" } }
  ],
  "handler": { "type": "Chain", "config": { "filters": ["missing"], "handler": "router" } }
}`,
    'config/routes/a.json': '{ "handler": "gone" }',
    'config/routes/b.json': '{ "handler": "bad" }',
    'config/routes/c.json': '{ "handler": "good" }',
    'config/other/d.json': '{ "handler": "nothing" }',
  })
  const { stdout } = await validate(folder, '--instance', folder.path)
  assert.deepEqual(
    stdout.map((line) => line.replace(/:\d+:\d+: /, ' ').replace(/ in this heap.*/, '')),
    [
      'config/config.json /heap/0/config/status: expected an integer from 200 to 999, got "many"',
      'config/config.json /handler/config/filters/0: no Filter named "missing"',
      'config/other/d.json /handler: no Handler named "nothing"',
      'config/routes/a.json /handler: no Handler named "gone"',
    ],
  )
})

test('routes are decoded if config.json is not JSON or its properties are invalid', async () => {
  const routes = {
    'config/routes/a.json': '{ "handler": { "type": "Chian" }, "myDecorator": true }',
    'config/routes/b.json': '{ "handler": { "type": "Chian" }, "name": "&{name}" }',
    'config/routes/c.json': '{ "handler": ',
  }
  using folder = new Folder({ 'config/config.json': '{ "handler": }', ...routes })
  const unknown = 'config/routes/a.json:1:16: /handler/type: unknown type "Chian"; did you mean "Chain"?'
  assert.deepEqual((await validate(folder, '--instance', folder.path)).stdout, [
    'config/config.json:1:14: not valid JSON: expected a value, got "}"',
    unknown,
    'config/routes/c.json:1:14: not valid JSON: expected a value, got the end of the text',
  ])
  using other = new Folder({ 'config/config.json': '{ "properties": 7 }', ...routes })
  const { stdout } = await validate(other, '--instance', other.path)
  assert.match(stdout[0] ?? '', /^config\/config\.json:1:3: \/properties: /)
  assert.deepEqual(stdout.slice(2, 4), [
    unknown,
    'config/routes/a.json:1:35: /myDecorator: unknown field, and no decorator of that name',
  ])
})

const SECRETS = `"heap": [{ "name": "store", "type": "FileSystemSecretStore",
  "config": { "directory": "\${gateway.instanceDirectory}/secrets", "format": "PLAIN" } }]`
const basic = (id: string) => `{ ${SECRETS},
  "handler": { "type": "Chain", "config": { "handler": "ClientHandler", "filters": [{ "type": "HttpBasicAuthenticationClientFilter",
  "config": { "username": "u", "passwordSecretId": "${id}", "secretsProvider": "store" } }] } } }`

test('secrets are looked up by their ids', async () => {
  using folder = new Folder({
    'secrets/good.one': 'password',
    'secrets/line.break': 'password\n',
    'config/routes/a.json': basic('good.one'),
    'config/routes/b.json': basic('not.there'),
    'config/routes/c.json': basic('line.break'),
  })
  const { code, stdout } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 78)
  assert.deepEqual(stdout.length, 2)
  assert.equal(
    stdout[0],
    'config/routes/b.json:4:32: /handler/config/filters/0/config/passwordSecretId: no secret store knows the secret id "not.there"',
  )
  assert.match(
    stdout[1] ?? '',
    /^config\/routes\/c\.json:4:32: \/handler\/config\/filters\/0\/config\/passwordSecretId: .*"line\.break".*ends in a line break/,
  )
  assert.equal((await validate(folder, '--instance', folder.path, '--without-secrets')).code, 0)
  // An empty instance has no secrets.
  assert.equal((await validate(folder, folder.in('config/routes/b.json'))).code, 0)
  assert.equal((await validate(folder, '--instance', folder.path, folder.in('config/routes/b.json'))).code, 78)
})

/** An object that needs its secret when it is created, and the place of the secret. */
const NEEDS_SECRET: Record<string, readonly [string, string]> = {
  'trust of a handler': [
    `"handler": { "type": "ReverseProxyHandler", "config": { "tls": { "type": "ClientTlsOptions", "config": {
      "trustManager": { "type": "SecretsTrustManager", "config": {
      "verificationSecretId": "an.id", "secretsProvider": "store", "checkRevocation": false } } } } } }`,
    '/handler/config/tls/config/trustManager/config/verificationSecretId',
  ],
  'trust of an issuer that filters use': [
    `"handler": { "type": "Chain", "config": { "handler": "ClientHandler", "filters": [
      { "type": "AuthorizationCodeOAuth2ClientFilter", "config": { "clientEndpoint": "/o", "registrations": [
      { "type": "ClientRegistration", "config": { "clientId": "c", "tokenEndpointAuthMethod": "none", "issuer":
      { "type": "Issuer", "config": { "wellKnownEndpoint": "https://idp.example/.well-known/openid-configuration", "trust": [
      { "type": "SecretsTrustManager", "config": { "verificationSecretId": "an.id", "secretsProvider": "store",
      "checkRevocation": false } }] } } } }] } }] } }`,
    '/handler/config/filters/0/config/registrations/0/config/issuer/config/trust/0/config/verificationSecretId',
  ],
  'the key of a client': [
    `"handler": { "type": "ReverseProxyHandler", "config": { "tls": { "type": "ClientTlsOptions", "config": {
      "keyManager": { "type": "SecretsKeyManager", "config": { "signingSecretId": "an.id", "secretsProvider": "store" } } } } } }`,
    '/handler/config/tls/config/keyManager/config/signingSecretId',
  ],
  'the agent of an access manager': [
    `"handler": { "type": "Chain", "config": { "handler": "ClientHandler", "filters": [{ "type": "SingleSignOnFilter",
      "config": { "amService": { "type": "AmService", "config": { "url": "https://am.example/am/", "agent": { "username": "a",
      "passwordSecretId": "an.id" }, "secretsProvider": "store", "notifications": { "enabled": false } } } } }] } }`,
    '/handler/config/filters/0/config/amService/config/agent/passwordSecretId',
  ],
}

for (const [what, [handler, pointer]] of Object.entries(NEEDS_SECRET)) {
  test(`a machine without secrets can check a route that needs one at once: ${what}`, async () => {
    using folder = new Folder({ 'secrets/other': 'x', 'config/routes/a.json': `{ ${SECRETS}, ${handler} }` })
    const instance = ['--instance', folder.path]
    assert.deepEqual((await validate(folder, ...instance, '--without-secrets')).stdout, [
      'valid: 1 route file and the files around them',
    ])
    assert.equal((await validate(folder, '--without-secrets', folder.in('config/routes/a.json'))).code, 0)
    const { code, stdout } = await validate(folder, ...instance)
    assert.equal(code, 78)
    assert.match(stdout.join('\n'), new RegExp(`^\\S+ ${pointer}: no secret store knows the secret id "an\\.id"$`))
  })
}

test('the password of a configuration store is looked up as the file that it is', async () => {
  const config = {
    endpoints: ['https://etcd.example.com:2379'],
    username: 'gateway',
    passwordSecretId: 'etcd.password',
  }
  const admin = JSON.stringify({ store: { type: 'EtcdStore', config } })
  using folder = new Folder({ 'config/admin.json': admin, 'secrets/etcd.password': 'password' })
  assert.equal((await validate(folder, '--instance', folder.path)).code, 0)
  using without = new Folder({ 'config/admin.json': admin })
  assert.equal((await validate(without, '--instance', without.path, '--without-secrets')).code, 0)
  const { code, stdout } = await validate(without, '--instance', without.path)
  assert.equal(code, 78)
  assert.match(
    stdout.join('\n'),
    /^config\/admin\.json:1:\d+: \/store\/config\/passwordSecretId: there is no file \S+etcd\.password; write the secret to it$/,
  )
})

test('secrets are looked up in the nearest secretsProvider', async () => {
  const service = (id: string) => `{ ${SECRETS}, "handler": "ClientHandler", "auditService": { "type": "AuditService",
  "config": { "eventHandlers": [{ "class": "JsonAuditEventHandler", "config": { "name": "${id}", "topics": ["access"],
  "logDirectory": "logs/${id}", "security": { "enabled": true,
  "secretId": "${id}", "secretsProvider": "store" } } }] } } }`
  using folder = new Folder({
    'secrets/good.one': 'a secret of many bytes',
    'config/routes/a.json': service('good.one'),
    'config/routes/b.json': service('not.there'),
  })
  const { stdout } = await validate(folder, '--instance', folder.path)
  assert.deepEqual(
    stdout.filter((line) => line.startsWith('config/routes/a.json')),
    [],
  )
  assert.match(
    stdout.join('\n'),
    /b\.json:5:3: .*\/security\/secretId: no secret store knows the secret id "not\.there"/,
  )
})

test('two audit services with one logDirectory are found, also where one is that of admin.json', async () => {
  const service = (
    folder: string,
    name = 'file',
  ) => `"auditService": { "type": "AuditService", "config": { "eventHandlers": [{
    "class": "JsonAuditEventHandler", "config": { "name": "${name}", "topics": ["access"], "logDirectory": "${folder}" } }] } }`
  using folder = new Folder({
    'config/admin.json': `{ ${service('logs/one')} }`,
    'config/routes/a.json': `{ ${service('logs/a')}, ${HANDLER} }`,
    'config/routes/b.json': `{ ${service('logs/../logs/one/', 'other')}, ${HANDLER} }`,
    'config/routes/c.json': `{ ${service('logs/a/')}, ${HANDLER} }`,
  })
  const { code, stdout } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 78)
  assert.match(
    stdout.join('\n'),
    /^config\/routes\/b\.json:2:\d+: .*\/logDirectory: "other": the audit service admin.* writes to logs\/one; give each service/,
  )
  assert.doesNotMatch(stdout.join('\n'), /c\.json/)
  // In place of the one in the instance.
  assert.equal((await validate(folder, '--instance', folder.path, folder.in('config/routes/a.json'))).code, 0)
})

test('an audit handler that would write the trail of configuration changes is found', async () => {
  const handlers = (...handlers: string[]) => `"auditService": { "type": "AuditService", "config": {
    "eventHandlers": [${handlers.join(',\n')}] } }`
  const handler = (type: string, topics: string, more = '') => `{ "class": "${type}AuditEventHandler",
    "config": { "name": "${type}${topics.length}", "topics": [${topics}], "logDirectory": "logs/audit"${more} } }`
  using folder = new Folder({
    'config/admin.json': `{ ${handlers(handler('Json', '"access"'), handler('Csv', '"config"'))} }`,
  })
  assert.equal((await validate(folder, '--instance', folder.path)).code, 0)

  const disabled = handler('Json', '"config"', ', "enabled": false')
  const conflicting = handler('Json', '"access", "config"')
  folder.write('config/admin.json', `{ ${handlers(disabled, conflicting)} }`)
  const { code, stdout } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 78)
  assert.deepEqual(stdout, [
    'config/admin.json:5:67: /auditService/config/eventHandlers/1/config/logDirectory: "Json18": the gateway itself writes its trail of configuration changes to logs/audit/config.audit.json; use another logDirectory, or leave out the topic "config"',
  ])

  folder.write('logs/audit/config.audit.json', '')
  symlinkSync(folder.in('logs/audit'), folder.in('trails'))
  folder.write('config/admin.json', `{ ${handlers(handler('Json', '"config"').replace('logs/audit', 'trails'))} }`)
  const linked = await validate(folder, '--instance', folder.path)
  assert.match(linked.stdout.join(), /logDirectory: "Json8": the gateway itself writes its trail/)
})

test('the topic config in the audit service of a route is a warning: it has no events there', async () => {
  const service = (topics: string) => `"auditService": { "type": "AuditService", "config": { "eventHandlers": [
    { "class": "JsonStdoutAuditEventHandler", "config": { "name": "off", "topics": ["config"], "enabled": false } },
    { "class": "JsonStdoutAuditEventHandler", "config": { "name": "out", "topics": ${topics} } }] } }`
  using folder = new Folder({
    'config/admin.json': `{ ${service('["config"]')} }`,
    'config/config.json': `{ ${service('["config"]')}, "handler": { "type": "Router" } }`,
    'config/routes/a.json': `{ ${service('["access", "config"]')}, ${HANDLER} }`,
  })
  const { code, stdout, stderr } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 0)
  assert.deepEqual(
    [...stdout, ...stderr].filter((line) => line.includes('topic')),
    [
      'warning: config/routes/a.json:3:95: /auditService/config/eventHandlers/1/config/topics/1: the topic "config" has no events in the audit service of a route: changes of the configuration go to the services of config.json and admin.json',
    ],
  )
})

test('secrets of admin.json are looked up too', async () => {
  const store = '{ "name": "store", "type": "SystemAndEnvSecretStore" }'
  const filter = `{
    "type": "HttpBasicAuthenticationClientFilter",
    "config": { "username": "u", "passwordSecretId": "gone", "secretsProvider": "store" } }`
  using folder = new Folder({ 'config/admin.json': `{ "heap": [${store}], "adminProtection": ${filter} }` })
  assert.deepEqual((await validate(folder, '--instance', folder.path)).stdout, [
    'config/admin.json:3:34: /adminProtection/config/passwordSecretId: no secret store knows the secret id "gone"',
  ])
})

test('a line break in base64 causes a warning, and no published keys are fetched', async () => {
  using folder = new Folder({
    'secrets/encoded': Buffer.from('password\n').toString('base64'),
    'config/routes/a.json': basic('encoded').replace('PLAIN', 'BASE64'),
    'config/routes/b.json': `{
  "heap": [{ "name": "keys", "type": "JwkSetSecretStore", "config": { "jwkUrl": "http://127.0.0.1:1/jwks" } }],
  "handler": { "type": "Chain", "config": { "handler": "ClientHandler", "filters": [{ "type": "JwtValidationFilter",
    "config": { "jwt": "x", "verificationSecretId": "any", "secretsProvider": "keys" } }] } } }`,
  })
  const { code, stdout, stderr } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 0, stdout.join('\n'))
  assert.match(
    stderr.join('\n'),
    /^warning: config\/routes\/a\.json:4:32: .*the secret "encoded" in the file "secrets\/encoded" ends in a line break, .* without one, with printf '%s'/,
  )
})

test('a secret id that is not among those of published keys is looked up in the next store', async () => {
  using folder = new Folder({
    'config/routes/a.json': `{
  "handler": { "type": "Chain", "config": { "handler": "ClientHandler", "filters": [{ "type": "JwtValidationFilter",
    "config": { "jwt": "x", "verificationSecretId": "other.keys", "secretsProvider": { "type": "JwkSetSecretStore",
      "config": { "jwkUrl": "http://127.0.0.1:1/jwks", "secretIds": ["keys"] } } } }] } } }`,
  })
  assert.deepEqual((await validate(folder, '--instance', folder.path)).stdout, [
    'config/routes/a.json:3:29: /handler/config/filters/0/config/verificationSecretId: no secret store knows the secret id "other.keys"',
  ])
})

test('a line break at the end of a symmetric key that is text causes a warning, one in random bytes does not', async () => {
  const random = Buffer.concat([Buffer.alloc(47, 7), Buffer.from('\n')])
  const route = (id: string) => `{
  "heap": [{ "name": "store", "type": "FileSystemSecretStore", "config": { "directory": "\${gateway.instanceDirectory}/secrets",
    "format": { "type": "SecretKeyPropertyFormat", "config": { "format": "BASE64", "algorithm": "HmacSHA256" } } } }],
  "condition": "\${request.uri.path == '/${id}'}",
  "handler": { "type": "Chain", "config": { "handler": { "type": "WelcomeHandler" }, "filters": [{ "type": "JwtValidationFilter",
    "config": { "jwt": "x", "verificationSecretId": "${id}", "secretsProvider": "store" } }] } } }`
  using folder = new Folder({
    'secrets/text': Buffer.from('a text of many bytes, which is a key\n').toString('base64'),
    'secrets/random': random.toString('base64'),
    'config/routes/a.json': route('text'),
    'config/routes/b.json': route('random'),
  })
  const { code, stdout, stderr } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 0, stdout.join('\n'))
  assert.deepEqual(
    stderr.map((line) => /the secret "\w+" in the file "\S+" ends in a line break/.exec(line)?.[0]),
    ['the secret "text" in the file "secrets/text" ends in a line break'],
  )
})

test('a config.json that is not JSON, and an extension that does not load, are problems', async () => {
  using folder = new Folder({ 'config/config.json': '{ "handler": }' })
  assert.deepEqual((await validate(folder, '--instance', folder.path)).stdout, [
    'config/config.json:1:14: not valid JSON: expected a value, got "}"',
  ])
  using extended = new Folder({ 'extra/broken.ts': 'export const nothing = 1' })
  const { code, stdout } = await validate(extended, '--instance', extended.path)
  assert.equal(code, 78)
  assert.match(stdout.join('\n'), /^extra\/broken\.ts: expected an exported function types/)
})

test('warnings are written to standard error, and the exit code is 0', async () => {
  using folder = new Folder({ 'config/routes/a.json': `{\n  "monitor": true,\n  ${HANDLER}\n}` })
  const { code, stderr } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 0)
  assert.deepEqual(stderr, [
    'warning: config/routes/a.json:2:3: /monitor: monitor is no longer used and has no effect; remove it',
  ])
})

test('a route that matches every request causes a warning with the routes it hides', async () => {
  using folder = new Folder({
    'config/routes/a.json': `{\n  "name": "50-all", ${HANDLER} }`,
    'config/routes/b.json': `{ "name": "10-some", "condition": "\${request.method == 'GET'}", ${HANDLER} }`,
    'config/routes/c.json': `{ "name": "90-hidden", ${HANDLER} }`,
    'config/routes/d.json': `{ "name": "60-hidden", "condition": "\${request.method == 'PUT'}", ${HANDLER} }`,
  })
  const { code, stderr } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 0)
  assert.deepEqual(stderr, [
    'warning: config/routes/a.json:1:1: /condition: the route matches every request, so that the routes after it are unreachable: "60-hidden", "90-hidden"; give it a condition, or a name that sorts after theirs',
  ])
})

test('routes are sorted by file name if the router is configured so', async () => {
  const route = (name: string, condition: string) => `{ "name": "${name}", "condition": ${condition}, ${HANDLER} }`
  using folder = new Folder({
    'config/config.json': '{ "handler": { "type": "Router", "config": { "order": "file" } } }',
    'config/routes/a-b.json': route('1', '"${1 == 1}"'),
    'config/routes/a.json': route('2', '"${request.method == \'GET\'}"'),
    'config/routes/b.json': route('0', 'true'),
  })
  const { stderr } = await validate(folder, '--instance', folder.path)
  assert.match(
    stderr.join('\n'),
    /^warning: config\/routes\/a-b\.json:1:16: .* are unreachable: "b"; give it a condition, or a file name that sorts after theirs$/,
  )
  const { stdout } = await gateway(['explain', '--instance', folder.path, 'PUT http://localhost/', '--json'])
  assert.deepEqual(
    (JSON.parse(stdout) as { tried: { id: string }[] }).tried.map(({ id }) => id),
    ['a', 'a-b'],
  )
})

test('--json prints the same as JSON', async () => {
  using folder = new Folder({ 'config/routes/b.json': '{ "handler": "Missing" }' })
  const { code, stdout } = await gateway(['validate', '--instance', folder.path, '--json'])
  assert.equal(code, 78)
  assert.deepEqual(JSON.parse(stdout), {
    valid: false,
    problems: [
      {
        file: folder.in('config/routes/b.json'),
        line: 1,
        column: 3,
        pointer: '/handler',
        message: 'no Handler named "Missing" in this heap or its parents',
      },
    ],
    warnings: [],
  })
})

test('single files are checked as routes of an empty instance, or of --instance', async () => {
  using folder = new Folder({
    'one/same.json': '{ "handler": "shared" }',
    'two/same.json': `{ ${HANDLER} }`,
    'config/config.json':
      '{ "handler": "main", "heap": [{ "name": "main", "type": "Router" }, { "name": "shared", "type": "StaticResponseHandler", "config": { "status": 204 } }] }',
    'config/routes/broken.json': '{ does not matter here',
  })
  const files = [folder.in('one/same.json'), folder.in('two/same.json'), folder.in('gone.json')]
  const alone = await validate(folder, ...files)
  assert.equal(alone.code, 78)
  assert.equal(alone.stdout[0], 'one/same.json:1:3: /handler: no Handler named "shared" in this heap or its parents')
  assert.match(alone.stdout[1] ?? '', /^gone\.json: the file can not be read: /)
  assert.equal(alone.stdout.length, 2)
  const inside = await validate(folder, '--instance', folder.path, ...files.slice(0, 2))
  assert.equal(inside.code, 0, inside.stdout.join('\n'))
})

test('a missing directory is reported, with the command to create one', async () => {
  using folder = new Folder()
  const { code, stdout } = await validate(folder, '--instance', folder.in('gone'))
  assert.equal(code, 78)
  assert.deepEqual(stdout, ['gone: no such directory; create one with: gateway init gone'])
})

test('routes are checked with the settings of admin.json', async () => {
  const proxy = '{ "type": "ReverseProxyHandler", "config": { "temporaryStorage": { "type": "TemporaryStorage" } } }'
  using folder = new Folder({
    'config/admin.json': '{ "streamingEnabled": false }',
    'config/routes/a.json': `{ "handler": ${proxy}, "baseURI": "http://127.0.0.1:9" }`,
  })
  const { stdout, stderr } = await validate(folder, '--instance', folder.path)
  assert.deepEqual([...stdout, ...stderr], ['valid: 1 route file and the files around them'])
})

const ROUTE_OF = (...filters: object[]) =>
  JSON.stringify({
    handler: { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } },
    baseURI: 'http://a',
  })

test('a report counts the files of each cause, most first', async () => {
  const unknown = { type: 'SamlFederationFilter' }
  const mistyped = { type: 'HeaderFilter', config: { messageType: 'REQUEST', removes: ['a'] } }
  using folder = new Folder({
    'config/admin.json': '{}',
    'config/routes/a.json': ROUTE_OF(unknown, mistyped),
    'config/routes/b.json': ROUTE_OF(unknown, unknown),
    'config/routes/c.json': ROUTE_OF(),
    'config/routes/d.json': '{ "handler": ',
    'config/routes/e.json': ROUTE_OF({ type: 'HeaderFilter', config: { messageType: 'BOTH' } }),
  })
  const { code, stdout, stderr } = await validate(folder, '--report', '--instance', folder.path)
  assert.equal(code, 78)
  assert.deepEqual(stdout, [
    '2 files: unsupported type "SamlFederationFilter"',
    '1 file: messageType of HeaderFilter: expected one of "REQUEST", "RESPONSE"',
    '1 file: not valid JSON',
    '1 file: unknown field "removes" of HeaderFilter',
  ])
  assert.deepEqual(stderr, ['2 of 6 files load'])
  const listed = await gateway(['validate', '--report', '--json', '--instance', folder.path])
  const [first] = JSON.parse(listed.stdout) as { cause: string; files: string[] }[]
  assert.equal(first?.cause, 'unsupported type "SamlFederationFilter"')
  assert.deepEqual(
    first?.files,
    ['a', 'b'].map((name) => folder.in(`config/routes/${name}.json`)),
  )
})

test('a report of files that load has no cause and the exit code 0', async () => {
  using folder = new Folder({ 'a.json': ROUTE_OF() })
  const { code, stdout, stderr } = await validate(folder, '--report', folder.in('a.json'))
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: [], stderr: ['1 of 1 file load'] })
})

test('output has colours on a terminal and with FORCE_COLOR, and none with NO_COLOR', async () => {
  using folder = new Folder({ 'config/routes/b.json': '{ "handler": "Missing" }' })
  const words = ['validate', '--instance', folder.path]
  const plain = (await gateway(words)).stdout
  assert.doesNotMatch(plain, /\u001b/)
  const coloured = (await gateway(words, { terminal: true })).stdout
  assert.match(coloured, /\u001b\[1m.*b\.json:1:3\u001b\[0m: \u001b\[36m\/handler\u001b\[0m: no Handler/)
  assert.equal((await gateway(words, { env: { FORCE_COLOR: '1' } })).stdout, coloured)
  for (const env of [{ NO_COLOR: '1' }, { FORCE_COLOR: '0' }, { TERM: 'dumb' }] as Record<string, string>[])
    assert.equal((await gateway(words, { terminal: true, env })).stdout, plain)
})

test('an unknown token is reported with the most similar property of the file and its parents', async () => {
  using folder = new Folder({
    'config/config.json': '{ "handler": { "type": "Router" }, "properties": { "shop": { "address": "http://a" } } }',
    'config/routes/b.json': `{ "properties": { "greeting": "hi" }, "heap": [
      { "name": "a", "type": "StaticResponseHandler", "config": { "status": 200, "entity": "&{greting}" } },
      { "name": "b", "type": "StaticResponseHandler", "config": { "status": 200, "entity": "&{shop.adress}" } }
    ], "handler": "a" }`,
  })
  const { stdout } = await gateway(['validate', '--instance', folder.path])
  assert.match(stdout, /"greting" has no value; .*; did you mean "greeting"\?\n/)
  assert.match(stdout, /"shop\.adress" has no value; .*; did you mean "shop\.address"\?\n/)
})

test('a token without a value is one problem, also in a field that is required', async () => {
  using folder = new Folder({
    'config/admin.json': '{ "connectors": [{ "port": "&{port}" }] }',
    'config/routes/a.json': '{ "handler": { "type": "StaticResponseHandler", "config": { "status": "&{status}" } } }',
  })
  const { stdout } = await gateway(['validate', '--instance', folder.path])
  assert.deepEqual(stdout.match(/: \/[^:]*: [^;]*/g), [
    ': /connectors/0/port: the token "port" has no value',
    ': /handler/config/status: the token "status" has no value',
  ])
})

test('a file of the access log that can not be written is a problem, unless secrets are left out too', async () => {
  for (const [destination, message] of [
    ['missing/access.log', /accessLog\/destination: the folder missing does not exist/],
    ['./config', /accessLog\/destination: expected the path of a file, got the folder/],
    ['/proc/version', /accessLog\/destination: the user that runs this command can not write \/proc\/version \(E/],
  ] as const) {
    // Root may write everywhere.
    if (destination.startsWith('/proc') && process.getuid?.() === 0) continue
    using folder = new Folder({ 'config/admin.json': JSON.stringify({ accessLog: { destination } }) })
    const { code, stdout: lines } = await validate(folder, '--instance', folder.path)
    const stdout = lines.join('\n')
    assert.equal(code, 78, stdout)
    assert.match(stdout, message)
    assert.equal((await validate(folder, '--instance', folder.path, '--without-secrets')).code, 0)
  }
  using folder = new Folder({ 'config/admin.json': '{ "accessLog": { "destination": "logs/access.log" } }' })
  assert.equal((await validate(folder, '--instance', folder.path)).code, 0)
})

test('a misspelled format of errors is reported with a suggestion', async () => {
  using folder = new Folder({ 'config/admin.json': '{ "errors": "htm" }' })
  assert.match(
    (await validate(folder, '--instance', folder.path)).stdout.join(),
    /\/errors: no Handler named "htm" .*; did you mean "html"\?/,
  )
})

test('problems and warnings below an old name of a field have their own positions', async () => {
  const handler = (config: string) => `{ "class": "CsvAuditEventHandler",\n"config": { ${config} } }`
  const route = (...handlers: string[]) =>
    `{ "heap": [{ "name": "a", "type": "AuditService", "config": {\n"event-handlers": [\n${handlers.join(',\n')}\n] } }],\n${HANDLER} }`
  const file = '"logDirectory": "logs/'
  using folder = new Folder({
    'config/routes/check.json': route(
      handler(`"name": "x", "topics": ["access"], ${file}1"`),
      handler(`\n"name": "x", "topics": ["access"], ${file}2"`),
    ),
    'config/routes/create.json': route(handler(`"name": "x", ${file}3",\n"topics": ["acess"]`)),
    'config/routes/decode.json': route(
      handler(`"name": "x", "topics": ["access"], ${file}4", "fileRetention": {\n"x": 1 }`),
      '{ "class": "a.SplunkAuditEventHandler", "config": {} }',
    ),
    'config/routes/secret.json': `{ "heap": [{ "name": "t", "type": "SecretsTrustManager", "config": {
"certificateVerificationSecretId": "missing", "secretsProvider": { "type": "SystemAndEnvSecretStore" } } }],\n${HANDLER} }`,
    'config/routes/warning.json': route(
      handler(`"name": "x", ${file}5", "topics": [\n"config"], "security": {\n"password": "p" }`),
    ),
  })
  const { stdout, stderr } = await validate(folder, '--instance', folder.path)
  const places = [...stdout, ...stderr].flatMap((line) => /[a-z]+\.json:\d+:\d+: [^:]*/.exec(line) ?? [])
  const below = '/heap/0/config/event-handlers'
  assert.deepEqual(places, [
    `check.json:7:1: ${below}/1/config/name`,
    `create.json:5:12: ${below}/0/config/topics/0`,
    `decode.json:5:1: ${below}/0/config/fileRetention/x`,
    `decode.json:6:3: ${below}/1/class`,
    'secret.json:2:1: /heap/0/config/certificateVerificationSecretId',
    `warning.json:2:1: ${below}`,
    `warning.json:6:1: ${below}/0/config/security/password`,
    `warning.json:5:1: ${below}/0/config/topics/0`,
  ])
})

test('the folder config of an instance is refused as an instance, with the name of its parent', async () => {
  using folder = new Folder({ 'config/routes/a.json': `{ ${HANDLER} }`, 'other/config.json': '{}' })
  const [problem, ...none] = (await validate(folder, '--instance', folder.in('config'))).stdout
  assert.equal(
    problem,
    `config: not an instance: it has routes, but no folder config; the instance is its parent: --instance ${folder.path}`,
  )
  assert.deepEqual(none, [])
  const { code, stdout } = await validate(folder, '--instance', folder.in('other'))
  assert.equal(code, 78)
  assert.match(
    stdout.join(),
    /^other: not an instance: it has config\.json, .* belong into the folder config of an instance$/,
  )
})

test('a directory is an instance', async () => {
  using folder = new Folder({ 'config/routes/a.json': `{ ${HANDLER} }`, 'b.json': `{ ${HANDLER} }` })
  assert.deepEqual(await validate(folder, folder.path), {
    code: 0,
    stdout: ['valid: 1 route file and the files around them'],
    stderr: [],
  })
  assert.match((await validate(folder, folder.in('config'))).stdout.join(), /the instance is its parent/)
  const routes = await validate(folder, folder.in('config/routes'))
  assert.equal(routes.code, 78)
  assert.match(routes.stdout.join(), /not an instance: it has no folder config; name files of routes one by one/)
  assert.equal((await validate(folder, folder.in('b.json/c.json'))).code, 78)
  assert.equal((await validate(folder, '--instance', folder.in('b.json/c'))).code, 78)
  const both = await validate(folder, folder.path, '--instance', folder.path)
  assert.equal(both.code, 64)
  assert.match(both.stderr.join(), /either as argument or by --instance/)
  const several = await validate(folder, folder.path, folder.in('b.json'))
  assert.equal(several.code, 64)
  assert.match(several.stderr.join(), /is a directory, an instance, which is checked alone/)
})

test('files that are not UTF-8, and routes that are too large, are refused as by a running gateway', async () => {
  using folder = new Folder({ 'large.json': `{ ${HANDLER}, "_a": "${'x'.repeat(5 * 1024 * 1024)}" }` })
  writeFileSync(folder.in('route.json'), Buffer.from(`{ ${HANDLER}, "_a": "caf\xe9" }`, 'latin1'))
  const files = await validate(folder, folder.in('large.json'), folder.in('route.json'))
  assert.deepEqual(files.stdout, [
    'large.json: the file is larger than 4 MiB',
    'route.json:1:90: not valid JSON: the file is not UTF-8 text; save it as UTF-8',
  ])
  using instance = new Folder({ 'config/admin.json': '{}' })
  writeFileSync(instance.in('config/config.json'), Buffer.from('\ufeff{}', 'utf16le'))
  assert.deepEqual((await validate(instance, '--instance', instance.path)).stdout, [
    'config/config.json:1:1: not valid JSON: the file is UTF-16 text; save it as UTF-8',
  ])
})

test('a temporary directory that can not be created is a problem, unless secrets are left out', async () => {
  const admin = (temporaryDirectory: string) => ({
    'config/admin.json': JSON.stringify({ temporaryDirectory }),
    file: '',
  })
  using folder = new Folder()
  using broken = new Folder(admin(folder.in('file/tmp')))
  folder.write('file', '')
  const { stdout } = await validate(folder, '--instance', broken.path)
  assert.match(stdout.join(), /admin\.json:1:2: \/temporaryDirectory: expected a directory, but .*file is a file$/)
  assert.equal((await validate(folder, '--instance', broken.path, '--without-secrets')).code, 0)
  using valid = new Folder(admin(folder.in('new/tmp')))
  assert.equal((await validate(folder, '--instance', valid.path)).code, 0)
})

test('the host of a connector is an address or a name, without scheme and port', async () => {
  const problems = async (host: string) => {
    using folder = new Folder({ 'config/admin.json': JSON.stringify({ connectors: [{ port: 0, host }] }) })
    return (await validate(folder, '--instance', folder.path)).stdout.join('\n')
  }
  for (const host of [
    '0.0.0.0',
    '::',
    '::1',
    'fe80::1%eth0',
    'gateway_1.example.com',
    '$' + "{env['X'] ? 'a' : 'b'}",
  ]) {
    assert.match(await problems(host), /^valid: /, host)
  }
  for (const host of ['*', 'localhost:8080', '[::1]:80', 'http://127.0.0.1', '127.0.0.1/8', '$' + "{'*'}"]) {
    assert.match(await problems(host), /\/connectors\/0\/host: .*expected an address or a host name, without/, host)
  }
})

test('files in a folder of routes that are not read cause a warning, and YAML is named', async () => {
  using folder = new Folder({
    'config/routes/a.json': `{ ${HANDLER} }`,
    'config/routes/B.JSON': `{ ${HANDLER} }`,
    'config/routes/c.yaml': 'handler: ReverseProxyHandler',
    'config/routes/notes.txt': '',
    'config/routes/.d.yml': '',
  })
  const { code, stderr } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 0)
  const reason = 'the file is not read: files of routes are JSON, with names that end in .json'
  assert.deepEqual(stderr, [`warning: config/routes/B.JSON: ${reason}`, `warning: config/routes/c.yaml: ${reason}`])
  const { stdout } = await validate(folder, folder.in('config/routes/c.yaml'))
  assert.deepEqual(stdout, ['config/routes/c.yaml: YAML is not read: files of routes are JSON'])
})

test('admin.json in place of a route is named as such, with the command for its instance', async () => {
  using folder = new Folder({ 'config/admin.json': '{ "connectors": [{ "port": 8080 }] }' })
  const { code, stdout } = await validate(folder, folder.in('config/admin.json'))
  assert.equal(code, 78)
  assert.deepEqual(stdout, [
    `config/admin.json: no file of a route; it is checked with its instance: gateway validate --instance ${folder.path}`,
  ])
})
