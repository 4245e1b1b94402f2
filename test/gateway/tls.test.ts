// A whole gateway over HTTPS: connectors, management, renewal under load, upstreams that require a certificate.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { copyFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { Authority, type Issued, opensslMissing } from '#test/certificates'
import { RunningGateway, textRoute } from '#test/gateway'
import { freePort, nginx, nginxMissing } from '#test/nginx'
import { keystoreOf } from '#test/secure-connector'
import { waitUntil } from '#test/waiting'

const options = { skip: opensslMissing, timeout: 60_000 }
const h2loadMissing = spawnSync('h2load', ['--version']).status === 0 ? false : 'h2load is not on the PATH'
const authority = opensslMissing === false ? new Authority() : null
const first = authority?.issue({ name: 'first.test', altNames: 'DNS:first.test,DNS:localhost' }) as Issued
const second = authority?.issue({ name: 'second.test', altNames: 'DNS:second.test,DNS:localhost' }) as Issued
const visitor = authority?.issue({ name: 'visitor' }) as Issued
after(() => authority?.[Symbol.dispose]())

/** Replaces a file atomically. */
function replace(file: string, by: string): void {
  copyFileSync(by, `${file}.new`)
  renameSync(`${file}.new`, file)
}

interface Asked {
  readonly status: number
  readonly text: string
  readonly peer: string
}

function ask(port: number, extra: object = {}): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false, ...extra }, (response) => {
      const peer = String((response.socket as TLSSocket).getPeerCertificate().subject?.CN ?? '')
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, peer }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Connectors whose certificate comes from a KeyStore of the authority's folder. */
function admin(file: string, fields: object = {}, connector: object = {}) {
  const url = file
  return {
    connectors: [{ port: 0, host: '127.0.0.1', tls: 'https', ...connector }],
    adminConnector: { port: 0, tls: 'https' },
    gatewayUnits: 2,
    heap: [
      { name: 'keystore', type: 'KeyStore', config: { url, password: 'word' } },
      { name: 'keys', type: 'KeyManager', config: { keystore: 'keystore' } },
      { name: 'https', type: 'ServerTlsOptions', config: { keyManager: 'keys', ...fields } },
    ],
  }
}

const who = {
  handler: {
    type: 'StaticResponseHandler',
    config: {
      status: 200,
      entity: '${contexts.client.secure} ${request.uri.scheme} ${contexts.client.certificates[0].subjectDN}',
    },
  },
}

test('traffic and management are served over TLS, by every unit', options, async () => {
  const file = keystoreOf(first)
  await using running = await RunningGateway.start({ admin: admin(file), routes: { who } })
  for (let i = 0; i < 8; i++) {
    const answer = await ask(running.port, { path: '/x' })
    assert.equal(answer.peer, 'first.test')
    assert.match(answer.text, /^true https/)
  }
  const health = await ask(running.gateway.adminPort, { path: '/ping' })
  assert.deepEqual([health.status, health.peer], [200, 'first.test'])
})

test('expressions can read a client certificate', options, async () => {
  const file = keystoreOf(first)
  const fields = { clientAuth: 'REQUIRED', trustManager: { type: 'TrustAllManager' } }
  await using running = await RunningGateway.start({ admin: admin(file, fields), routes: { who } })
  const shown = { key: visitor.key, cert: visitor.certificate }
  assert.match((await ask(running.port, shown)).text, /CN=visitor/)
  await assert.rejects(ask(running.port))
})

test('ten thousand requests over HTTP/2 without an error, while the certificate is replaced, broken and restored (F22)', {
  ...options,
  skip: opensslMissing || h2loadMissing,
}, async () => {
  const [old, renewed] = [keystoreOf(first), keystoreOf(second)]
  const file = join(authority!.directory, 'live.p12')
  copyFileSync(old, file)
  await using running = await RunningGateway.start({ admin: admin(file), routes: { hello: textRoute('hello') } })
  const url = `https://127.0.0.1:${running.port}/`
  const load = promisify(execFile)('h2load', ['-n10000', '-c20', '-m10', url])
  const shows = async (name: string) => {
    await running.gateway.reload()
    // Each unit reads the file separately.
    for (let right = 0; right < 10; ) right = (await ask(running.port)).peer === name ? right + 1 : 0
  }
  replace(file, renewed)
  await shows('second.test')
  truncateSync(file, 50)
  await running.gateway.reload()
  for (let i = 0; i < 10; i++) assert.equal((await ask(running.port)).peer, 'second.test')
  replace(file, old)
  await shows('first.test')
  const { stdout } = await load
  assert.match(stdout, /requests: 10000 total, 10000 started, 10000 done, 10000 succeeded, 0 failed, 0 errored/)
})

test(
  'a broken certificate file under sni is not an outage: the last good one is used; health, log and metrics report it',
  options,
  async () => {
    const { key, chain } = first
    const files = { 'secrets/default.key': key + chain, 'secrets/shop.key': second.key + second.chain }
    const store = {
      directory: '&{gateway.instance.dir}/secrets',
      format: { type: 'PemPropertyFormat' },
      leaseExpiry: '100 ms',
    }
    const sni = { serverNames: { 'second.test': 'shop.key' }, defaultSecretId: 'default.key', secretsProvider: 'pems' }
    await using running = await RunningGateway.start({
      admin: {
        connectors: [{ port: 0, host: '127.0.0.1', tls: 'https' }],
        gatewayUnits: 2,
        heap: [
          { name: 'pems', type: 'FileSystemSecretStore', config: store },
          { name: 'https', type: 'ServerTlsOptions', config: { sni } },
        ],
      },
      files,
      routes: { hello: textRoute('hello') },
    })
    const peerOf = async (servername: string) => (await ask(running.port, { servername })).peer
    assert.equal(await peerOf('second.test'), 'second.test')
    const notAfter = await running.metric('gw_tls_certificate_not_after_seconds', { certificate: 'shop.key' })
    assert.equal(notAfter, new X509Certificate(second.certificate).validToDate.getTime() / 1_000)
    assert.equal(await running.metric('gw_tls_certificate_stale', { certificate: 'shop.key' }), 0)

    running.instance.write('secrets/shop.key', 'garbage')
    await running.log.until(/secret can not be read/)
    const renewed = authority!.issue({ name: 'renewed.test' })
    const mark = running.log.lines.length
    running.instance.write('secrets/default.key', renewed.key + renewed.chain)
    await running.log.until(/the last good one stays in use/, mark)
    await waitUntil('the renewed certificate was used', async () => (await peerOf('other.test')) === 'renewed.test')
    for (let i = 0; i < 10; i++) assert.equal(await peerOf('second.test'), 'second.test')
    assert.equal((await running.askAdmin('/health/ready')).status, 200)
    const { text } = await running.askAdmin('/health/ready?verbose')
    const { status, checks } = JSON.parse(text) as {
      status: string
      checks: { name: string; state?: string; detail?: string }[]
    }
    const check = checks.find(({ name }) => name === 'admin+https')
    assert.deepEqual([status, check?.state], ['UP', 'degraded'], text)
    assert.match(String(check?.detail), /last good certificate in use, its source fails: shop\.key/)
    assert.equal(await running.metric('gw_tls_certificate_stale', { certificate: 'shop.key' }), 1)

    const mended = authority!.issue({ name: 'mended.test' })
    running.instance.write('secrets/shop.key', mended.key + mended.chain)
    await waitUntil('the corrected certificate was used', async () => (await peerOf('second.test')) === 'mended.test')
    const isUp = async () =>
      /"state": "up"[\s\S]*all certificates can be read"/.test((await running.askAdmin('/health/ready?verbose')).text)
    await waitUntil('the route was up', () => isUp())
  },
)

test('a broken or missing keystore is in health and metrics long before its lease ends, while the last good certificate is used', {
  ...options,
  timeout: 120_000,
}, async () => {
  const good = keystoreOf(first)
  const file = join(authority!.directory, 'broken.p12')
  copyFileSync(good, file)
  const mappings = [{ secretId: 'https.key', aliases: ['server'] }]
  const manager = { type: 'SecretsKeyManager', config: { signingSecretId: 'https.key', secretsProvider: 'store' } }
  const objects = {
    secrets: { keyManager: manager },
    names: { sni: { defaultSecretId: 'https.key', secretsProvider: 'store' } },
    keystore: { keyManager: { type: 'KeyManager', config: { keystore: 'file' } } },
  }
  await using running = await RunningGateway.start({
    admin: {
      connectors: Object.keys(objects).map((tls) => ({ port: 0, host: '127.0.0.1', tls })),
      heap: [
        {
          name: 'words',
          type: 'FileSystemSecretStore',
          config: { directory: '&{gateway.instance.dir}/secrets', format: 'PLAIN' },
        },
        {
          name: 'store',
          type: 'KeyStoreSecretStore',
          config: { file, storePasswordSecretId: 'store.password', secretsProvider: 'words', mappings },
        },
        { name: 'file', type: 'KeyStore', config: { url: file, password: 'word' } },
        ...Object.entries(objects).map(([name, config]) => ({ name, type: 'ServerTlsOptions', config })),
      ],
    },
    files: { 'secrets/store.password': 'word' },
    routes: { hello: textRoute('hello') },
  })
  const states = async () => {
    const { checks } = JSON.parse((await running.askAdmin('/health/ready?verbose')).text) as {
      checks: readonly { readonly name: string; readonly state?: string }[]
    }
    return Object.keys(objects).map((name) => checks.find((check) => check.name === `admin+${name}`)?.state)
  }
  const stale = () =>
    Promise.all(
      Object.keys(objects).map((name) => running.metric('gw_tls_certificate_stale', { name: `admin+${name}` })),
    )
  const reaches = (state: string, value: number) =>
    waitUntil(`all are ${state}`, async () => {
      const [shown, measured] = [await states(), await stale()]
      return shown.every((each) => each === state) && measured.every((each) => each === value)
    })
  assert.deepEqual(await stale(), [0, 0, 0])
  truncateSync(file, 50)
  await running.gateway.reload()
  await reaches('degraded', 1)
  for (const port of running.gateway.ports) assert.equal((await ask(port)).peer, 'first.test')
  replace(file, good)
  await reaches('up', 0)
  rmSync(file)
  await reaches('degraded', 1)
})

test(
  'a mended certificate is reported as such, also where its store looks at files only when they are read',
  options,
  async () => {
    const { key, chain } = first
    const store = {
      directory: '&{gateway.instance.dir}/secrets',
      format: { type: 'PemPropertyFormat' },
      leaseExpiry: '100 ms',
      autoRefresh: { enabled: false },
    }
    const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'app.key', secretsProvider: 'pems' } }
    await using running = await RunningGateway.start({
      admin: {
        connectors: [{ port: 0, host: '127.0.0.1', tls: 'https' }],
        heap: [
          { name: 'pems', type: 'FileSystemSecretStore', config: store },
          { name: 'https', type: 'ServerTlsOptions', config: { keyManager } },
        ],
      },
      files: { 'secrets/app.key': key + chain },
      routes: { hello: textRoute('hello') },
    })
    const reaches = (state: string, value: number) =>
      waitUntil(`the connector is ${state}`, async () => {
        const { text } = await running.askAdmin('/health/ready?verbose')
        const stale = await running.metric('gw_tls_certificate_stale', { certificate: 'keyManager' })
        return new RegExp(`"admin\\+https",\\s+"ok": true,\\s+"state": "${state}"`).test(text) && stale === value
      })
    running.instance.write('secrets/app.key', 'garbage')
    await running.gateway.reload()
    await reaches('degraded', 1)
    assert.equal((await ask(running.port)).peer, 'first.test')
    running.instance.write('secrets/app.key', second.key + second.chain)
    await reaches('up', 0)
    await running.log.until(/a certificate of the connector can be read again/)
    await waitUntil('the mended certificate is served', async () => (await ask(running.port)).peer === 'second.test')
  },
)

test('an upstream that requires a client certificate gets it', {
  ...options,
  skip: opensslMissing || nginxMissing,
}, async () => {
  const server = authority!.issue({ name: 'localhost' })
  const port = await freePort()
  await using _upstream = await nginx(
    `listen 127.0.0.1:${port} ssl;
     ssl_certificate ${server.certificateFile}; ssl_certificate_key ${server.keyFile};
     ssl_client_certificate ${authority!.certificateFile}; ssl_verify_client on;
     location / { return 200 "$ssl_client_s_dn $ssl_protocol"; }`,
  )
  const target = `https://localhost:${port}`
  const visitorFile = keystoreOf(visitor)
  const route = (tls: object) => ({
    baseURI: target,
    heap: [
      { name: 'keystore', type: 'KeyStore', config: { url: visitorFile, password: 'word' } },
      { name: 'keys', type: 'KeyManager', config: { keystore: 'keystore' } },
    ],
    handler: { type: 'ReverseProxyHandler', config: { tls: { type: 'ClientTlsOptions', config: tls } } },
  })
  const trustManager = { type: 'TrustAllManager' }
  await using running = await RunningGateway.start({
    routes: {
      a: { condition: "${request.uri.path == '/with'}", ...route({ keyManager: 'keys', trustManager }) },
      b: { condition: "${request.uri.path == '/without'}", ...route({ trustManager }) },
      c: { condition: "${request.uri.path == '/distrust'}", ...route({ keyManager: 'keys' }) },
    },
  })
  for (let i = 0; i < 3; i++) assert.match((await running.ask('/with')).text, /^CN=visitor TLSv1\.[23]$/)
  assert.equal((await running.ask('/without')).status, 400)
  assert.equal((await running.ask('/distrust')).status, 502)
})
