import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Exchange, respond } from '#http'
import { converse, listening } from '#test/listening'

type Settings = Parameters<typeof listening>[1]

/** Sends a request with these headers; resolves with its exchange. */
async function sent(headers: string, settings: Settings) {
  const seen: Exchange[] = []
  const handler = async (exchange: Exchange) => {
    seen.push(exchange)
    return respond(200)
  }
  await using server = await listening(handler, settings)
  const head = `GET /a?b HTTP/1.1\r\nHost: gw.test:8080\r\n${headers}Connection: close\r\n\r\n`
  const answer = await converse(server.port, head)
  return { exchange: seen[0] ?? null, answer, log: server.log }
}

async function exchangeOf(
  headers: string,
  trustedProxies: readonly string[],
  settings: Settings = {},
): Promise<Exchange> {
  return (await sent(headers, { trustedProxies, ...settings })).exchange!
}

const spoofed =
  'X-Forwarded-For: 6.6.6.6\r\nx-forwarded-proto: https\r\nX-FORWARDED-HOST: evil\r\nX-Forwarded-Port: 1\r\n' +
  'X-Forwarded-Uri: /evil\r\nX-Forwarded-Prefix: /evil\r\nForwarded: for=6.6.6.6;proto=https\r\nX-Real-IP: 6.6.6.6\r\n' +
  'X-Original-URL: /evil\r\nX-Rewrite-URL: /evil\r\nX_Forwarded_For: 6.6.6.6\r\nX.Real.IP: 6.6.6.6\r\n'

test('forwarding fields of an untrusted peer are replaced (B13, B14, B15, B18, B20)', async () => {
  const exchange = await exchangeOf(spoofed, ['10.0.0.0/8'])

  assert.deepEqual(
    [...exchange.request.headers.entries()],
    [
      ['Host', 'gw.test:8080'],
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-Proto', 'http'],
      ['X-Forwarded-Host', 'gw.test:8080'],
      ['X-Forwarded-Port', '8080'],
    ],
  )
  assert.equal(exchange.client.remoteAddress, '127.0.0.1')
  assert.equal(exchange.client.secure, false)
  assert.equal(exchange.originalUri.toString(), 'http://gw.test:8080/a?b')
})

test('forwarding fields of a trusted proxy are used and extended', async () => {
  const headers =
    'X-Forwarded-For: 6.6.6.6, 203.0.113.7\r\nX-Forwarded-For: 10.1.1.1\r\nX-Forwarded-Proto: https\r\n' +
    'X-Forwarded-Host: www.example.com\r\nX-Forwarded-Port: 443\r\nX-Real-IP: 203.0.113.7\r\nX_Forwarded_For: 6.6.6.6\r\n'
  const { client, originalUri, request } = await exchangeOf(headers, ['127.0.0.0/8', '10.0.0.0/8'])

  assert.equal(client.remoteAddress, '203.0.113.7')
  assert.equal(client.remotePort, 0)
  assert.equal(client.secure, true)
  assert.equal(originalUri.toString(), 'https://www.example.com/a?b')
  assert.equal(request.uri.toString(), 'http://gw.test:8080/a?b')
  assert.equal(request.headers.get('x-forwarded-for'), '6.6.6.6, 203.0.113.7, 10.1.1.1, 127.0.0.1')
  assert.equal(request.headers.get('x-forwarded-host'), 'www.example.com')
  assert.equal(request.headers.get('x-real-ip'), '203.0.113.7')
  assert.equal(request.headers.has('x_forwarded_for'), false)
})

test('values of the client to the left of the trusted hops are ignored', async () => {
  const headers =
    'X-Forwarded-For: 127.0.0.9, 203.0.113.7\r\nX-Forwarded-Proto: https, http\r\nX-Forwarded-Host: evil, ok.test\r\n'
  const { client, originalUri } = await exchangeOf(headers, ['127.0.0.1'])

  assert.equal(client.remoteAddress, '203.0.113.7')
  assert.equal(originalUri.toString(), 'http://ok.test/a?b')
})

test('the standard Forwarded header is used and extended', async () => {
  const headers = 'Forwarded: for="[2001:db8::7]:4711";proto=https;host="www.example.com"\r\n'
  const { client, originalUri, request } = await exchangeOf(headers, ['127.0.0.1/32'])

  assert.equal(client.remoteAddress, '2001:db8::7')
  assert.equal(originalUri.toString(), 'https://www.example.com/a?b')
  assert.match(request.headers.get('forwarded')!, /, for=127\.0\.0\.1;host="gw\.test:8080";proto=http$/)
})

test('malformed addresses, hosts and schemes of a trusted proxy are ignored', async () => {
  const headers = 'X-Forwarded-For: unknown, 10.0.0.9\r\nX-Forwarded-Proto: gopher\r\nX-Forwarded-Host: a b@c\r\n'
  const { client, originalUri } = await exchangeOf(headers, ['127.0.0.1', '10.0.0.0/8'])

  assert.equal(client.remoteAddress, '10.0.0.9')
  assert.equal(originalUri.toString(), 'http://gw.test:8080/a?b')
})

const fieldsOf = ({ request: { headers } }: Exchange) =>
  ['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port', 'forwarded'].map((name) => headers.get(name))

test('nor are they forwarded (B13)', async () => {
  const own = ['http', 'gw.test:8080', '8080']
  const lists: [string, string[]][] = [
    ['X-Forwarded-Proto: javascript\r\nX-Forwarded-Host: a b@c\r\nX-Forwarded-Port: x\r\n', own],
    [
      'X-Forwarded-Proto: http, javascript\r\nX-Forwarded-Host: "><script>, a.test\r\nX-Forwarded-Port: 1 2\r\n',
      ['http', 'a.test', '80'],
    ],
  ]
  for (const [bad, used] of lists) {
    const exchange = await exchangeOf(`X-Forwarded-For: 203.0.113.7\r\n${bad}`, ['127.0.0.1'])
    assert.deepEqual(fieldsOf(exchange), [...used, null], bad)
  }
  const proxied = 'for=127.0.0.1;host="gw.test:8080";proto=http'
  for (const bad of ['proto=javascript', 'host="a b"']) {
    const exchange = await exchangeOf(`Forwarded: for=203.0.113.7;${bad}\r\n`, ['127.0.0.1'])
    assert.deepEqual(fieldsOf(exchange), [...own, `for=203.0.113.7;host="gw.test:8080";proto=http, ${proxied}`], bad)
  }
})

test('a malformed value of a trusted proxy does not hide the others, and the application gets the same ones', async () => {
  const scheme = 'X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n'
  for (const port of ['99999', '0', 'x']) {
    const headers = `${scheme}X-Forwarded-Host: www.example.com\r\nX-Forwarded-Port: ${port}\r\n`
    const exchange = await exchangeOf(headers, ['127.0.0.1'])
    assert.equal(exchange.originalUri.toString(), 'https://www.example.com/a?b', port)
    assert.deepEqual(fieldsOf(exchange), ['https', 'www.example.com', '443', null], port)
  }
  const own = ['https', 'gw.test:8080', '8080']
  const ofLists = await exchangeOf(`${scheme}X-Forwarded-Host: a b@c\r\n`, ['127.0.0.1'])
  assert.equal(ofLists.originalUri.toString(), 'https://gw.test:8080/a?b')
  assert.equal(ofLists.client.secure, true)
  assert.deepEqual(fieldsOf(ofLists), [...own, null])
  const ofElements = await exchangeOf('Forwarded: for=203.0.113.7;proto=https;host=<script>\r\n', ['127.0.0.1'])
  const forwarded = 'for=203.0.113.7;host="gw.test:8080";proto=https, for=127.0.0.1;host="gw.test:8080";proto=http'
  assert.equal(ofElements.originalUri.toString(), 'https://gw.test:8080/a?b')
  assert.deepEqual(fieldsOf(ofElements), [...own, forwarded])
})

test('the schemes that Traefik gives to WebSocket requests are those of HTTP', async () => {
  const headers = 'X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: WSS\r\nX-Forwarded-Host: www.example.com\r\n'
  const exchange = await exchangeOf(headers, ['127.0.0.1'])
  assert.equal(exchange.originalUri.toString(), 'https://www.example.com/a?b')
  assert.deepEqual(fieldsOf(exchange), ['https', 'www.example.com', '443', null])
})

test('an IPv4-mapped IPv6 peer address becomes the IPv4 address (B20)', async () => {
  const seen: Exchange[] = []
  await using server = await listening(
    async (exchange) => {
      seen.push(exchange)
      return respond(200)
    },
    { host: '::', trustedProxies: ['127.0.0.1'] },
  )
  await converse(
    server.port,
    'GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ::ffff:1.2.3.4\r\nConnection: close\r\n\r\n',
  )

  assert.equal(seen[0]!.client.remoteAddress, '1.2.3.4')
})

const proxies = { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] }

const disagreeing: [string, string][] = [
  ['addresses', 'Forwarded: for=203.0.113.7\r\nX-Forwarded-For: 6.6.6.6\r\n'],
  [
    'addresses behind trusted hops',
    'Forwarded: for=203.0.113.7, for=10.0.0.1\r\nX-Forwarded-For: 6.6.6.6, 10.0.0.1\r\n',
  ],
  ['an address and none', 'Forwarded: proto=https\r\nX-Forwarded-For: 6.6.6.6\r\n'],
  ['an address and a hidden one', 'Forwarded: for=_hidden\r\nX-Forwarded-For: 6.6.6.6\r\n'],
  ['schemes', 'Forwarded: for=1.1.1.1;proto=http\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-Proto: https\r\n'],
  ['hosts', 'Forwarded: for=1.1.1.1;host=a.test\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-Host: evil\r\n'],
]

for (const [what, headers] of disagreeing) {
  test(`Forwarded and X-Forwarded-* of a trusted proxy that disagree are refused with 400: ${what} (B95)`, async () => {
    const { exchange, answer, log } = await sent(headers, proxies)
    assert.match(answer, /^HTTP\/1\.1 400 /)
    assert.equal(exchange, null)
    const [warning] = log.entries.filter(({ level }) => level === 'warn')
    assert.match(JSON.stringify(warning), /trustedForwardingHeader/)
  })
}

test('trustedForwardingHeader selects the header; the other is neither used nor forwarded', async () => {
  const headers =
    'Forwarded: for=203.0.113.7;proto=https;host=good.test\r\nX-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: gopher\r\n' +
    'X-Forwarded-Host: evil\r\nX-Forwarded-Port: 1\r\n'
  const standard = await exchangeOf(headers, proxies.trustedProxies, { trustedForwardingHeader: 'Forwarded' })
  assert.equal(standard.client.remoteAddress, '203.0.113.7')
  assert.equal(standard.originalUri.toString(), 'https://good.test/a?b')
  assert.equal(standard.request.headers.get('x-forwarded-for'), '203.0.113.7, 127.0.0.1')
  assert.equal(standard.request.headers.get('x-forwarded-proto'), 'https')
  assert.equal(standard.request.headers.get('x-forwarded-host'), 'good.test')
  assert.equal(standard.request.headers.get('x-forwarded-port'), '443')
  assert.match(standard.request.headers.get('forwarded')!, /^for=203\.0\.113\.7;.*, for=127\.0\.0\.1;/)

  const lists = await exchangeOf(headers, proxies.trustedProxies, { trustedForwardingHeader: 'X-Forwarded-For' })
  assert.equal(lists.client.remoteAddress, '6.6.6.6')
  assert.equal(lists.originalUri.toString(), 'http://evil:1/a?b')
  assert.equal(lists.request.headers.has('forwarded'), false)
})

test('the other forwarding header alone is ignored', async () => {
  const alone = await exchangeOf('X-Forwarded-For: 6.6.6.6\r\n', proxies.trustedProxies, {
    trustedForwardingHeader: 'Forwarded',
  })
  assert.equal(alone.client.remoteAddress, '127.0.0.1')
  assert.equal(alone.request.headers.get('x-forwarded-for'), '127.0.0.1')
})

test('both forwarding headers are used where they agree', async () => {
  const { client, originalUri } = await exchangeOf(
    'Forwarded: for="[2001:DB8::7]:80";proto=HTTPS;host="A.test"\r\nX-Forwarded-For: 2001:db8::7\r\n' +
      'X-Forwarded-Proto: https\r\nX-Forwarded-Host: a.test\r\n',
    proxies.trustedProxies,
  )
  assert.equal(client.remoteAddress, '2001:db8::7')
  assert.equal(originalUri.toString(), 'https://a.test/a?b')
})

test('where both name the client, a scheme or host in only one of them is ignored', async () => {
  for (const headers of [
    'Forwarded: for=1.1.1.1\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\n',
    'Forwarded: for=1.1.1.1;proto=https;host=evil\r\nX-Forwarded-For: 1.1.1.1\r\n',
  ]) {
    const { client, originalUri, request } = await exchangeOf(headers, proxies.trustedProxies)
    assert.equal(client.remoteAddress, '1.1.1.1')
    assert.equal(originalUri.toString(), 'http://gw.test:8080/a?b')
    assert.equal(request.headers.get('x-forwarded-host'), 'gw.test:8080')
    assert.equal(request.headers.get('x-forwarded-proto'), 'http')
  }
})

test('Forwarded alone is also forwarded as X-Forwarded-*', async () => {
  const { request } = await exchangeOf('Forwarded: for="[2001:db8::7]:4711";proto=https, for=unknown\r\n', [
    '127.0.0.1',
  ])
  assert.equal(request.headers.get('x-forwarded-for'), '2001:db8::7, unknown, 127.0.0.1')
})

for (const [written, address] of [
  ['2001:DB8:0::7', '2001:db8::7'],
  ['[2001:0db8:0:0:0:0:0:7]:443', '2001:db8::7'],
  ['::ffff:102:304', '1.2.3.4'],
  ['0:0:0:0:0:FFFF:1.2.3.4', '1.2.3.4'],
] as const) {
  test(`B20: ${written} of a trusted proxy is the client ${address}, as in any other spelling`, async () => {
    for (const headers of [
      `X-Forwarded-For: ${written}\r\n`,
      `Forwarded: for="${written.startsWith('[') ? written : `[${written}]`}"\r\n`,
    ]) {
      const { client } = await exchangeOf(headers, ['127.0.0.1'])
      assert.equal(client.remoteAddress, address)
    }
  })
}

for (const bad of ['10.0.0.0/33', 'localhost', '10.0.0.0/8/8', '::/129', '10.0.0.0/x', '']) {
  test(`the trusted proxy ${JSON.stringify(bad)} is refused`, async () => {
    await assert.rejects(
      listening(async () => respond(200), { trustedProxies: [bad] }),
      /trustedProxies: expected an address or a block/,
    )
  })
}
