// `tls`, the table of `stateTrackingEnabled` and the deprecated fields of the spec under 'ReverseProxyHandler'.
import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { CATALOGUE } from '#catalogue'
import type { Handler } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { loadTypes } from '#schema'
import { type BuildOptions, build } from '#test/build'
import { Authority, Changing, type Issued, opensslMissing } from '#test/certificates'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { rawUpstream } from '#test/upstream'
import { once } from '#test/waiting'

const definitions = await loadTypes(CATALOGUE)
const ReverseProxyHandler = definitions.find(({ name }) => name === 'ReverseProxyHandler')!
const types = definitions.filter((type) => type !== ReverseProxyHandler)

describe('TLS', { skip: opensslMissing }, () => {
  const authority = opensslMissing === false ? new Authority() : null
  const used = new Set<unknown>()
  const server = createServer({ requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const socket = request.socket as TLSSocket
    used.add(socket)
    const who = socket.getPeerCertificate().subject?.CN ?? 'anonymous'
    response.end(`${who} ${socket.getProtocol()} ${socket.getCipher().standardName}`)
  })
  let port = 0
  let client: Issued
  before(async () => {
    client = authority!.issue({ name: 'client' })
    const issued = authority!.issue({ name: 'server', altNames: 'DNS:app.test,DNS:*.apps.test' })
    server.setSecureContext({ key: issued.key, cert: issued.certificate })
    server.listen(0, 'localhost')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  beforeEach(() => used.clear())
  after(() => {
    server.closeAllConnections()
    server.close()
    authority?.[Symbol.dispose]()
  })

  const secret = (name: string, type: string, config: JsonObject): JsonValue => ({
    name,
    type,
    config: { ...config, secretsProvider: 'store' },
  })
  const handler = (config: JsonObject) => {
    const store = new Changing<PemSecrets>({ me: client.key + client.certificate, ca: authority!.certificate })
    const trust = { verificationSecretId: 'ca', checkRevocation: false }
    return build<Handler>(ReverseProxyHandler, config, {
      types: [...types, pemStoreType(store)],
      heap: [
        { name: 'store', type: 'PemStore' },
        secret('me', 'SecretsKeyManager', { signingSecretId: 'me' }),
        secret('ours', 'SecretsTrustManager', trust),
      ],
    })
  }
  const answers = async (config: JsonObject, requests = 1) => {
    await using built = await handler(config)
    let last = ''
    for (let i = 0; i < requests; i++) {
      const response = await built.object(exchangeFor('GET', `https://localhost:${port}/`))
      last = response.status === 200 ? await textOf(response) : String(response.status)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return { last, warnings: built.warnings.join('\n') }
  }
  const ANY_NAME = { hostnameVerifier: 'ALLOW_ALL' }
  const tls = (config: JsonObject) => ({ type: 'ClientTlsOptions', config: { trustManager: 'ours', ...config } })

  test('tls: ClientTlsOptions set trust and client certificate', async () => {
    assert.equal((await answers({})).last, '502')
    assert.match((await answers({ tls: tls(ANY_NAME) })).last, /^anonymous /)
    assert.match((await answers({ tls: tls({ ...ANY_NAME, keyManager: 'me' }) })).last, /^client /)
  })

  test('tls: a TlsOptions reference is accepted with a deprecation warning', async () => {
    const old = { type: 'TlsOptions', config: { trustManager: 'ours', ...ANY_NAME } }
    const { last, warnings } = await answers({ tls: old })
    assert.match(last, /^anonymous /)
    assert.match(warnings, /TlsOptions.*deprecated/)
  })

  for (const [disableReuseConnection, stateTrackingEnabled, connections, what] of [
    [false, true, 3, 'no connection reuse when a client certificate is used'],
    [false, false, 1, 'connection reuse is allowed when a client certificate is used'],
    [true, true, 3, 'no connection reuse'],
    [true, false, 3, 'no connection reuse'],
  ] as const) {
    test(`disableReuseConnection ${disableReuseConnection}, stateTrackingEnabled ${stateTrackingEnabled}: ${what}`, async () => {
      const config = { disableReuseConnection, stateTrackingEnabled, protocolVersion: 'HTTP/1.1' }
      await answers({ ...config, tls: tls({ ...ANY_NAME, keyManager: 'me' }) }, 3)
      assert.equal(used.size, connections)
    })
  }

  test('hostnameVerifier: STRICT by default, ALLOW_ALL any name of a trusted certificate; before tls, with a warning', async () => {
    assert.equal((await answers({ tls: tls({}) })).last, '502')
    const { last, warnings } = await answers({ tls: tls({}), hostnameVerifier: 'ALLOW_ALL' })
    assert.match(last, /^anonymous /)
    assert.match(warnings, /hostnameVerifier is deprecated.*ClientTlsOptions/)
    assert.equal((await answers({ tls: tls(ANY_NAME), hostnameVerifier: 'STRICT' })).last, '502')
    assert.equal((await answers({ hostnameVerifier: 'ALLOW_ALL' })).last, '502', 'not of a trusted authority')
  })

  test('trustManager: only the default platform truststore without it', async () => {
    assert.equal((await answers(ANY_NAME)).last, '502')
    const { last, warnings } = await answers({ ...ANY_NAME, trustManager: 'ours' })
    assert.match(last, /^anonymous /)
    assert.match(warnings, /trustManager is deprecated/)
  })

  test('keyManager: without it no client certificate is presented', async () => {
    assert.match((await answers({ ...ANY_NAME, trustManager: ['ours'] })).last, /^anonymous /)
    const { last, warnings } = await answers({ ...ANY_NAME, trustManager: ['ours'], keyManager: ['me'] })
    assert.match(last, /^client /)
    assert.match(warnings, /keyManager is deprecated/)
  })

  test('sslEnabledProtocols: restricts allowed protocols', async () => {
    const { last, warnings } = await answers({ ...ANY_NAME, trustManager: 'ours', sslEnabledProtocols: ['TLSv1.2'] })
    assert.match(last, / TLSv1\.2 /)
    assert.match(warnings, /sslEnabledProtocols is deprecated/)
  })

  test('sslCipherSuites: restricts allowed cipher suites', async () => {
    const suite = 'TLS_AES_128_GCM_SHA256'
    const { last, warnings } = await answers({ ...ANY_NAME, trustManager: 'ours', sslCipherSuites: [suite] })
    assert.match(last, new RegExp(` ${suite}$`))
    assert.match(warnings, /sslCipherSuites is deprecated/)
  })

  test('sslContextAlgorithm: accepted with a warning', async () => {
    const { last, warnings } = await answers({ ...ANY_NAME, trustManager: 'ours', sslContextAlgorithm: 'TLS' })
    assert.match(last, /^anonymous /)
    assert.match(warnings, /sslContextAlgorithm is deprecated/)
  })
})

describe('Deprecated proxies', () => {
  const saysWho = () =>
    rawUpstream((socket, head) => {
      const text = /^proxy-authorization: (.*)$/im.exec(head)?.[1] ?? 'anonymous'
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
    })
  const handler = (config: JsonObject, surroundings: BuildOptions) =>
    build<Handler>(ReverseProxyHandler, config, { types, ...surroundings })
  const ask = async (config: JsonObject, surroundings: BuildOptions = {}) => {
    await using built = await handler(config, surroundings)
    const response = await built.object(exchangeFor('GET', 'http://app.invalid/'))
    const text = await textOf(response)
    return { said: response.status === 200 ? text : String(response.status), warnings: built.warnings.join('\n') }
  }
  const basic = (words: string) => `Basic ${Buffer.from(words).toString('base64')}`

  test('proxy: uri, username and passwordSecretId, with a warning that names proxyOptions', async () => {
    await using proxy = await saysWho()
    const { said, warnings } = await ask({ proxy: { uri: proxy.url } })
    assert.equal(said, 'anonymous')
    assert.match(warnings, /proxy is deprecated.*proxyOptions/)
    const heap = [
      { name: 'words', type: 'SystemAndEnvSecretStore', config: { format: { type: 'PlainPropertyFormat' } } },
    ]
    const secret = { username: 'me', passwordSecretId: 'proxy.password', secretsProvider: 'words' }
    const named = await ask({ proxy: { uri: proxy.url, ...secret } }, { heap, env: { PROXY_PASSWORD: 'pw' } })
    assert.equal(named.said, basic('me:pw'))
  })

  test('proxy: password, deprecated and insecure', async () => {
    await using proxy = await saysWho()
    const { said, warnings } = await ask({ proxy: { uri: proxy.url, username: 'me', password: 'pw' } })
    assert.equal(said, basic('me:pw'))
    assert.match(warnings, /password is deprecated.*passwordSecretId/)
  })

  test('systemProxy: http.proxyHost, http.proxyPort, http.nonProxyHosts', async () => {
    await using proxy = await saysWho()
    const { hostname, port } = new URL(proxy.url)
    const properties = { 'http.proxyHost': hostname, 'http.proxyPort': port }
    const { said, warnings } = await ask({ systemProxy: true }, { properties })
    assert.equal(said, 'anonymous')
    assert.match(warnings, /systemProxy is deprecated/)
    const exempt = { ...properties, 'http.nonProxyHosts': '*.invalid|localhost' }
    assert.equal((await ask({ systemProxy: true }, { properties: exempt })).said, '502')
  })

  test('proxy and systemProxy: proxy wins', async () => {
    await using proxy = await saysWho()
    const properties = { 'http.proxyHost': '127.0.0.1', 'http.proxyPort': 1 }
    assert.equal((await ask({ proxy: { uri: proxy.url }, systemProxy: true }, { properties })).said, 'anonymous')
  })
})
