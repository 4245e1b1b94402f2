// Instances in the style of each generation of the family: the report finds no cause, they are migrated, and they serve the same.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gateway as commandLine } from '#test/command-line'
import { Folder } from '#test/folder'
import { RunningGateway } from '#test/gateway'
import { httpUpstream } from '#test/upstream'

/** An instance of a generation, and one exchange with it. UPSTREAM stands for the URL of the application. */
interface Generation {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly path: string
  /** Of the response of the application, which repeats path and headers of the request. */
  readonly expected: RegExp
}

const GENERATIONS: readonly Generation[] = [
  {
    name: 'OpenIG 2 and 3',
    files: {
      'config/config.json': `{
  "heap": { "objects": [
    { "name": "LogSink", "type": "ConsoleLogSink", "config": { "level": "DEBUG" } },
    { "name": "DispatchHandler", "type": "DispatchHandler", "config": { "bindings": [
      { "condition": "\${matches(exchange.request.uri.path, '^/old')}", "handler": "Login", "baseURI": "UPSTREAM" },
      { "handler": "Router" } ] } },
    { "name": "Router", "type": "Router", "audit": "global", "config": {} },
    { "name": "Login", "type": "Chain", "config": { "filters": [ "Header" ], "handler": "ClientHandler", "logSink": "LogSink" } },
    { "name": "Header", "type": "HeaderFilter", "config": { "messageType": "REQUEST", "remove": [ "x-user" ],
      "add": { "x-user": [ "\${exchange.request.headers['x-sent'][0]}" ] } } },
    { "name": "ClientHandler", "type": "ClientHandler", "config": {} }
  ] },
  "handlerObject": "DispatchHandler"
}`,
    },
    path: '/old/page',
    expected: /"x-user":"demo"/,
  },
  {
    name: 'OpenIG 4',
    files: {
      'config/config.json': `{
  "handler": { "type": "Router", "monitor": true, "capture": "all" },
  "heap": [ { "name": "JwtSession", "type": "JwtSession", "config": { "cookieName": "openig-jwt" } } ]
}`,
      'config/routes/static.json': `{
  "name": "four", 'condition': "\${matches(request.uri.path, '^/four')}",
  "baseURI": "UPSTREAM", "session": "JwtSession",
  "handler": { "type": "Chain", "config": {
    "filters": [ { "type": "AssignmentFilter", "config": { "onRequest": [
      { "target": "\${session.user}", "value": "\${request.headers['x-sent'][0]}" },
      { "target": "\${request.headers['x-user']}", "value": "\${session.user}" } ] } } ],
    "handler": "ClientHandler" } },
}`,
    },
    path: '/four',
    expected: /"x-user":"demo"/,
  },
  {
    name: 'OpenIG 5',
    files: {
      'config/config.json': `{ "handler": { "type": "Router", "name": "_router", "config": { "failOnRouteError": false } },
  "properties": { "application": "UPSTREAM" } }`,
      'config/routes/five.json': `{
  "name": "five", "monitor": false, "condition": "\${matches(request.uri.path, '^/five')}",
  "heap": [ { "name": "Proxy", "type": "ReverseProxyHandler", "config": { "hostnameVerifier": "ALLOW_ALL", "numberOfWorkers": 4 } } ],
  "handler": { "type": "DispatchHandler", "config": { "bindings": [
    { "name": "one", "baseURI": "&{application}", "handler": { "type": "Chain", "config": {
      "filters": [ { "type": "StaticRequestFilter", "config": { "method": "GET", "uri": "&{application}/made?a=b",
        "headers": { "x-user": [ "\${request.headers['x-sent'][0]}" ] }, "version": "HTTP/1.1" } } ],
      "handler": "Proxy" } } } ] } }
}`,
    },
    path: '/five',
    expected: /"url":"\/made\?a=b".*"x-user":"demo"/,
  },
  {
    name: 'ForgeRock IG 6',
    files: {
      'config/config.json': `{ "properties": { "app": { "url": "UPSTREAM" } }, "handler": { "type": "Router" } }`,
      'config/routes/six.json': `{
  "name": "six", "baseURI": "&{app.url}", "condition": "\${find(request.uri.path, '^/six')}",
  "heap": [ {
    "name": "AmService-1", "type": "AmService",
    "config": { "agent": { "username": "ig_agent", "password": "open sesame" }, "url": "https://am.example.com/openam/",
      "notifications": { "enabled": false } }
  } ],
  "handler": { "type": "Chain", "config": {
    "filters": [
      { "type": "ConditionalFilter", "config": { "condition": "\${find(request.uri.path, '^/six/private')}",
        "delegate": { "type": "SingleSignOnFilter", "config": { "amService": "AmService-1" } } } },
      { "type": "HeaderFilter", "config": { "messageType": "REQUEST", "add": { "x-user": [ "\${request.headers['x-sent'][0]}" ] } } }
    ],
    "handler": "ReverseProxyHandler" } }
}`,
    },
    path: '/six/public',
    expected: /"x-user":"demo"/,
  },
  {
    name: 'ForgeRock IG 7',
    files: {
      'config/config.json': `{ "handler": "_router", "heap": [ { "name": "_router", "type": "Router",
  "config": { "scanInterval": "disabled", "delayRouteMetrics": true } } ] }`,
      'config/routes/seven.json': `{
  "name": "seven", "baseURI": "UPSTREAM", "condition": "\${find(request.uri.path, '^/seven')}",
  "heap": [ { "name": "Secrets", "type": "SystemAndEnvSecretStore", "config": { "format": "PLAIN" } } ],
  "handler": { "type": "Chain", "config": {
    "filters": [
      { "type": "HttpBasicAuthenticationClientFilter",
        "config": { "username": "demo", "passwordSecretId": "seven.password", "secretsProvider": [ "Secrets" ] } },
      { "type": "UriPathRewriteFilter", "config": { "mappings": { "/seven": "/rewritten" } } }
    ],
    "handler": { "type": "ReverseProxyHandler", "config": { "websocket": { "enabled": true, "numberOfSelectors": 4 } } } } }
}`,
    },
    path: '/seven/x',
    expected: /"url":"\/rewritten\/x".*"authorization":"Basic ZGVtbzpvcGVuIHNlc2FtZQ=="/,
  },
  {
    name: 'PingGateway 2024',
    files: {
      'config/config.json': `{ "handler": { "type": "Router", "name": "_router" } }`,
      'config/routes/ping.json': `{
  "name": "ping", "baseURI": "UPSTREAM", "condition": "\${find(request.uri.path, '^/ping')}",
  "handler": { "type": "Chain", "config": {
    "filters": [
      { "type": "CorsFilter", "config": { "policies": [ { "origins": [ "https://app.example.com" ], "acceptedMethods": [ "GET" ] } ] } },
      { "type": "ThrottlingFilter", "config": { "requestGroupingPolicy": "\${request.headers['x-sent'][0]}", "rate": { "numberOfRequests": 9, "duration": "1 second" } } },
      { "type": "HeaderFilter", "config": { "messageType": "REQUEST", "add": { "x-user": [ "\${request.headers['x-sent'][0]}" ] } } }
    ],
    "handler": { "type": "ReverseProxyHandler", "capture": "all", "config": { "soTimeout": "5 seconds" } } } }
}`,
    },
    path: '/ping',
    expected: /"x-user":"demo"/,
  },
  {
    name: 'PingGateway 2026',
    files: {
      'config/config.json': `{ "handler": { "type": "Router", "name": "_router" } }`,
      'config/routes/ping.json': `{
  "$schema": "https://example.com/route.json",
  "name": "ping", "baseURI": "UPSTREAM", "condition": "\${find(request.uri.path, '^/ping')}",
  "handler": { "type": "Chain", "config": {
    "filters": [
      { "type": "AllowOnlyFilter", "config": { "rules": [ { "name": "reads", "destination": [ { "methods": [ "GET" ] } ] } ] } },
      { "type": "SetCookieUpdateFilter", "config": { "cookies": { ".*": { "SameSite": "LAX" } } } },
      { "type": "HeaderFilter", "config": { "messageType": "REQUEST", "replace": { "x-user": [ "\${request.headers['x-sent'][0]}" ] } } }
    ],
    "handler": { "type": "ReverseProxyHandler", "config": { "tls": { "type": "ClientTlsOptions", "config": { "trustManager": { "type": "TrustAllManager" } } } } } } }
}`,
    },
    path: '/ping',
    expected: /"x-user":"demo"/,
  },
]

const ENV = { SEVEN_PASSWORD: 'open sesame' }
const resources = new AsyncDisposableStack()
let upstream: string

before(async () => {
  const echo = await httpUpstream(({ url, headers }, response) => void response.end(JSON.stringify({ url, headers })))
  upstream = resources.use(echo).url
})

after(() => resources.disposeAsync())

async function requested(files: Readonly<Record<string, string>>, { path, expected }: Generation) {
  await using gateway = await RunningGateway.start({ files, env: ENV })
  const { status, text } = await gateway.ask(path, { headers: { 'x-sent': 'demo' } })
  assert.equal(status, 200, `${text}\n${gateway.log.lines.join('')}`)
  assert.match(text, expected)
  return gateway.log.entries
    .map(({ message = '' }) => message)
    .filter((message) => /deprecated|no effect/.test(message))
}

for (const generation of GENERATIONS) {
  test(`${generation.name}: reported, migrated and served`, async () => {
    const files = Object.fromEntries(
      Object.entries(generation.files).map(([name, text]) => [name, text.replaceAll('UPSTREAM', upstream)]),
    )
    using folder = new Folder(files)
    const report = await commandLine(['validate', '--report', '--without-secrets', '--instance', folder.path])
    assert.equal(report.code, 0, report.stdout)
    assert.equal(report.stdout, '')

    const migration = await commandLine(['migrate', '--write', folder.path])
    assert.equal(migration.code, 0, migration.stderr)
    const migrated = Object.fromEntries(Object.keys(files).map((name) => [name, folder.read(name)]))
    await requested(files, generation)
    assert.deepEqual(await requested(migrated, generation), [])
  })
}
