import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { HandlerKind } from '#contracts'
import { Certificate } from '#expression'
import { type ClientInfo, type Filter, type Handler, type Response, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { AllowOnlyFilter } from './allow-only-filter.ts'

const Teapot = defineType({
  name: 'Teapot',
  kind: HandlerKind,
  summary: 'Answers 418.',
  config: {},
  create: (): Handler => async () => respond(418),
})

const next: Handler = async () => respond(200)

interface Sent {
  readonly method?: string
  readonly url?: string
  readonly from?: string
  readonly headers?: Record<string, string>
  readonly certificates?: ClientInfo['certificates']
}

async function answer(config: JsonValue, sent: Sent = {}): Promise<{ response: Response; entries: number }> {
  await using built = await build<Filter>(AllowOnlyFilter, config, {
    types: [Teapot],
    properties: { office: '10.9.0.0/16' },
  })
  const { method = 'GET', url = 'http://app.test/a', from = '192.0.2.1', headers = {}, certificates = [] } = sent
  const client = { remoteAddress: from, certificates }
  const response = await built.object(exchangeFor(method, url, { headers, client }), next)
  return { response, entries: built.log.entries.filter((entry) => JSON.stringify(entry).includes('failed')).length }
}

/** Whether a filter with one rule allows a request. */
const allows = async (rule: JsonValue, sent: Sent = {}) =>
  (await answer({ rules: [rule] }, sent)).response.status === 200

test('responds 401 without content and with no-store when no rule matches', async () => {
  const { response } = await answer({ rules: [{ from: [{ ip: { list: ['10.0.0.0/8'] } }] }] })
  assert.equal(response.status, 401)
  assert.deepEqual(response.headers.raw(), ['Cache-Control', 'no-store'])
  assert.equal(response.body.isEmpty, true)
})

test('the failure handler responds when no rule matches', async () => {
  const { response } = await answer({ rules: [{ when: false }], failureHandler: { type: 'Teapot' } })
  assert.equal(response.status, 418)
})

test('one matching rule is enough', async () => {
  const rules = [{ when: false }, { name: 'second', when: true }]
  assert.equal((await answer({ rules })).response.status, 200)
})

const addresses: readonly [readonly string[], string, boolean][] = [
  [['192.0.2.1'], '192.0.2.1', true],
  [['192.0.2.1'], '192.0.2.10', false],
  [['192.0.2.0/24', '10.0.0.0/8'], '10.255.0.1', true],
  [['10.1.2.3/8'], '10.9.9.9', true],
  [['10.0.0.0/8'], '11.0.0.1', false],
  [['10.0.0.0/8'], '::ffff:10.0.0.1', true],
  [['10.0.0.0/8'], '::ffff:a00:1', true],
  [['::ffff:10.0.0.0/104'], '10.0.0.1', true],
  [['2001:db8::/32'], '2001:DB8:1::5', true],
  [['2001:db8::/32'], '2001:db9::1', false],
  [['fe80::/10'], 'fe80::1%eth0', true],
  [['0.0.0.0/0'], '::1', false],
  [['${office}'], '10.9.1.1', true],
  [['0.0.0.0/0', '::/0'], '', false],
]

for (const [list, from, expected] of addresses) {
  test(`${from || 'no address'} is ${expected ? '' : 'not '}one of ${list.join(', ')}`, async () => {
    assert.equal(await allows({ from: [{ ip: { list: [...list] } }] }, { from }), expected)
  })
}

test('ip can be a plain list, and from a single origin', async () => {
  assert.equal(await allows({ from: [{ ip: ['192.0.2.0/24'] }] }), true)
  assert.equal(await allows({ from: { ip: { list: ['192.0.2.0/24'] } } }), true)
  assert.equal(await allows({ from: { ip: ['10.0.0.0/8'] } }), false)
})

test('the address is that of the client connection, not of headers', async () => {
  const headers = { 'X-Forwarded-For': '10.0.0.1', Forwarded: 'for=10.0.0.1' }
  assert.equal(await allows({ from: [{ ip: { list: ['10.0.0.0/8'] } }] }, { headers }), false)
})

test('a resolver returns another address', async () => {
  const ip = { list: ['10.0.0.0/8'], resolver: "${request.headers['X-Address'][0]}" }
  const from = [{ ip }]
  assert.equal(await allows({ from }, { headers: { 'X-Address': '10.0.0.1' } }), true)
  assert.equal(await allows({ from }, { from: '10.0.0.1', headers: { 'X-Address': '192.0.2.1' } }), false)
  assert.equal(await allows({ from }, { from: '10.0.0.1' }), false, 'null is no address')
  assert.equal(await allows({ from }, { headers: { 'X-Address': '10.0.0.1, 192.0.2.1' } }), false)
  assert.equal(await allows({ from }, { headers: { 'X-Address': 'localhost' } }), false)
})

test('a resolver that fails does not match and is logged', async () => {
  const from = [{ ip: { list: ['0.0.0.0/0'], resolver: '${request.method - 1}' } }]
  const { response, entries } = await answer({ rules: [{ from }] })
  assert.equal(response.status, 401)
  assert.equal(entries, 1)
})

test('a pattern has to match the whole subject of the client certificate', async () => {
  const certificates = [new Certificate(new X509Certificate(DEVICE))]
  const rule = (...subjectDNs: string[]) => ({ from: [{ certificate: { subjectDNs } }] })
  assert.equal(await allows(rule('CN=device-\\d+, OU=Devices, .*'), { certificates }), true)
  assert.equal(await allows(rule('CN=other', 'CN=device-7,.*C=CH'), { certificates }), true)
  assert.equal(await allows(rule('CN=device-7'), { certificates }), false)
  assert.equal(await allows(rule('.*')), false, 'without certificate there is no subject')
})

test('only the certificate of the client itself is compared, not its issuers', async () => {
  const certificates = [{}, new Certificate(new X509Certificate(DEVICE))]
  assert.equal(await allows({ from: [{ certificate: { subjectDNs: ['.*'] } }] }, { certificates }), false)
})

test('all conditions of an entry have to match, and one of several entries', async () => {
  const certificates = [new Certificate(new X509Certificate(DEVICE))]
  const certificate = { subjectDNs: ['CN=device-7.*'] }
  const both = { ip: { list: ['192.0.2.1'] }, certificate }
  const neither = { ip: { list: ['10.0.0.1'] }, certificate }
  assert.equal(await allows({ from: [both] }, { certificates }), true)
  assert.equal(await allows({ from: [both] }), false)
  assert.equal(await allows({ from: [neither] }, { certificates }), false)
  assert.equal(await allows({ from: [neither, both] }, { certificates }), true)
})

const destinations: readonly [JsonValue, Sent, boolean][] = [
  [{ hosts: ['APP\\.test'] }, {}, true],
  [{ hosts: ['app\\.test', 'b'] }, { url: 'http://APP.TEST/' }, true],
  [{ hosts: ['app\\.test'] }, { url: 'http://app.test.evil/' }, false],
  [{ hosts: ['app\\.test'] }, { url: 'http://evil-app.test/' }, false],
  [{ hosts: ['^app'] }, {}, false],
  [{ ports: ['80'] }, {}, true],
  [{ ports: ['443'] }, { url: 'https://app.test/' }, true],
  [{ ports: ['80', '100:200'] }, { url: 'http://app.test:200/' }, true],
  [{ ports: ['100:200'] }, { url: 'http://app.test:201/' }, false],
  [{ ports: [8080] }, { url: 'http://app.test:8080/' }, true],
  [{ methods: ['GET', 'HEAD'] }, { method: 'HEAD' }, true],
  [{ methods: ['GET'] }, { method: 'get' }, false],
  [{ paths: ['/user/.*'] }, { url: 'http://app.test/user/1?x=/admin' }, true],
  [{ paths: ['/user/.*'] }, { url: 'http://app.test/admin?x=/user/1' }, false],
  [{ paths: ['/user'] }, { url: 'http://app.test/user/1' }, false],
  [{ paths: ['/User'] }, { url: 'http://app.test/user' }, false],
  [{ hosts: ['app\\.test'], methods: ['POST'] }, {}, false],
]

for (const [destination, sent, expected] of destinations) {
  const { method = 'GET', url = 'http://app.test/a' } = sent
  test(`${method} ${url} ${expected ? 'is' : 'is not'} at ${JSON.stringify(destination)}`, async () => {
    assert.equal(await allows({ destination: [destination] }, sent), expected)
  })
}

test('one matching destination is enough', async () => {
  assert.equal(await allows({ destination: [{ methods: ['PUT'] }, { paths: ['/a'] }] }), true)
})

test('a rule matches when origin, destination and condition match', async () => {
  const from = [{ ip: { list: ['192.0.2.1'] } }]
  const destination = [{ methods: ['GET'] }]
  const when = "${request.uri.path == '/a'}"
  assert.equal(await allows({ from, destination, when }), true)
  assert.equal(await allows({ from, destination, when }, { from: '192.0.2.2' }), false)
  assert.equal(await allows({ from, destination, when }, { method: 'PUT' }), false)
  assert.equal(await allows({ from, destination, when }, { url: 'http://app.test/b' }), false)
})

test('only the condition true matches; one that fails is logged', async () => {
  assert.equal(await allows({ when: '${attributes.none}' }), false)
  assert.equal(await allows({ when: '${request.method}' }), false)
  const { response, entries } = await answer({ rules: [{ when: '${request.method - 1 == 0}' }] })
  assert.equal(response.status, 401)
  assert.equal(entries, 1)
})

const badBlock = 'expected an IP address or a block such as "10.0.0.0/8" or "2001:db8::/32", got'
const badPort = 'expected a port from 1 to 65535, or a range such as "8000:8999", got'
const ip = (list: JsonValue) => ({ rules: [{ from: [{ ip: { list } }] }] })
const to = (destination: JsonValue) => ({ rules: [{ destination: [destination] }] })

const refusals: readonly [string, JsonValue, string][] = [
  ['no rules', {}, '/rules: expected an array of object; this field is required'],
  ['an empty list of rules', { rules: [] }, '/rules: expected at least one element'],
  ['a rule that says nothing', { rules: [{ name: 'a' }] }, '/rules/0: give at least one of from, destination, when'],
  ['an origin that says nothing', { rules: [{ from: [{}] }] }, '/rules/0/from/0: give at least one of ip, certificate'],
  [
    'a destination that says nothing',
    to({}),
    '/rules/0/destination/0: give at least one of hosts, ports, methods, paths',
  ],
  ['an empty list of addresses', ip([]), '/rules/0/from/0/ip/list: expected at least one element'],
  ['a block that is too wide', ip(['10.0.0.0/33']), `/rules/0/from/0/ip/list/0: ${badBlock} "10.0.0.0/33"`],
  ['a block without bits', ip(['10.0.0.0/']), `/rules/0/from/0/ip/list/0: ${badBlock} "10.0.0.0/"`],
  ['a host name as address', ip(['localhost']), `/rules/0/from/0/ip/list/0: ${badBlock} "localhost"`],
  ['half an address', ip(['::1', '10.0.0']), `/rules/0/from/0/ip/list/1: ${badBlock} "10.0.0"`],
  ['a zone', ip(['fe80::1%eth0']), `/rules/0/from/0/ip/list/0: ${badBlock} "fe80::1%eth0"`],
  ['an invalid port', to({ ports: ['http'] }), `/rules/0/destination/0/ports/0: ${badPort} "http"`],
  ['port 0', to({ ports: ['0'] }), `/rules/0/destination/0/ports/0: ${badPort} "0"`],
  ['a port that is too high', to({ ports: ['65536'] }), `/rules/0/destination/0/ports/0: ${badPort} "65536"`],
  ['a range that runs backwards', to({ ports: ['200:100'] }), `/rules/0/destination/0/ports/0: ${badPort} "200:100"`],
  [
    'an invalid regular expression',
    to({ paths: ['/('] }),
    '/rules/0/destination/0/paths/0: expected a regular expression, got "/(": this group has no closing ")" (at offset 1 of the regular expression)',
  ],
  [
    'an empty regular expression',
    to({ hosts: [''] }),
    '/rules/0/destination/0/hosts/0: expected a regular expression, got ""',
  ],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(AllowOnlyFilter, config), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config${message}`,
    })
  })
}

/** CN=device-7, OU=Devices, O=Example, C=CH */
const DEVICE = `-----BEGIN CERTIFICATE-----
MIIB3zCCAYWgAwIBAgIUV1pzy+Yrj74LsIVVhTQjig19YQQwCgYIKoZIzj0EAwIw
RDELMAkGA1UEBhMCQ0gxEDAOBgNVBAoMB0V4YW1wbGUxEDAOBgNVBAsMB0Rldmlj
ZXMxETAPBgNVBAMMCGRldmljZS03MCAXDTI2MTExNTAyMzUzNloYDzIxMjYxMDIy
MDIzNTM2WjBEMQswCQYDVQQGEwJDSDEQMA4GA1UECgwHRXhhbXBsZTEQMA4GA1UE
CwwHRGV2aWNlczERMA8GA1UEAwwIZGV2aWNlLTcwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQfcr43LrrftZ3iUo3ufegyD20cYiO4lSiS9J0VRxwMFeMl7eKv5VgA
48zkxPRMUq0FyBjmJPny3CAfXS5dMGUxo1MwUTAdBgNVHQ4EFgQUz1s+V55QYehy
e/rJZtGIGmVi75swHwYDVR0jBBgwFoAUz1s+V55QYehye/rJZtGIGmVi75swDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAmQm7TIT0MN5Ts7cjLMNI
zaQBpqFuMKI4Cm+riWXdaYYCIHl6B0IbTeyvio7qbAQLofymxLj3ZHsf0tjmP3nX
jSzF
-----END CERTIFICATE-----`

test('a path pattern such as "/a/*" gives a warning: as a regular expression it repeats the slash', async () => {
  const warningsOf = async (...paths: string[]) => {
    await using built = await build<Filter>(AllowOnlyFilter, { rules: [{ destination: [{ paths }] }] })
    return built.warnings
  }
  const [all, below, ...none] = await warningsOf('/*', '/reports/*', '/reports/.*', '/a*', '/reports/?')
  assert.match(all ?? '', /the path "\/\*" is a regular expression and allows only slashes; .* write "\/\.\*"$/)
  assert.match(
    below ?? '',
    /allows only "\/reports" and slashes behind it; for everything below write "\/reports\/\.\*"$/,
  )
  assert.deepEqual(none, [])
  assert.equal(await allows({ destination: { paths: ['/*'] } }, { url: 'http://app.test/a' }), false)
})
