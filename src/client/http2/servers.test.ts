import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Authority, clientTlsOf, opensslMissing } from '#test/certificates'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { accepts, freePort, nginx, nginxMissing } from '#test/nginx'
import { once, within } from '#test/waiting'

const nghttpdMissing: string | false =
  spawnSync('nghttpd', ['--version']).status === 0
    ? false
    : 'nghttpd is not on the PATH; nothing was checked against it'

const FILE = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => i % 251))
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('nginx: HTTP/2 over TLS, with large files in both directions', {
  skip: nginxMissing || opensslMissing,
}, async () => {
  using authority = new Authority()
  const { keyFile, certificate, chain } = authority.issue({ name: 'localhost' })
  assert.ok(certificate)
  const chainFile = join(authority.directory, 'chain.pem')
  writeFileSync(chainFile, chain)
  const port = await freePort()
  await using _server = await nginx(
    `listen 127.0.0.1:${port} ssl http2; ssl_certificate ${chainFile}; ssl_certificate_key ${keyFile};
     client_max_body_size 10m; keepalive_requests 20;
     location = /version { return 200 "$server_protocol $http_host $request_method"; }
     location = /echo { proxy_pass http://127.0.0.1:${port}/version; }`,
    { 'file.bin': FILE },
  )
  await using client = clientWith({
    http2: { overTls: true, inClear: 'off' },
    tls: clientTlsOf(authority),
  })
  const url = `https://localhost:${port}`
  const version = await send(client, exchangeFor('GET', `${url}/version`, { headers: { Host: 'public.example' } }))
  assert.equal(await textOf(version), 'HTTP/2.0 public.example GET')
  const bodies = Array.from({ length: 6 }, async () => {
    const { body } = await send(client, exchangeFor('GET', `${url}/file.bin`))
    return hash(await body.read(FILE.length))
  })
  assert.deepEqual(new Set(await Promise.all(bodies)), new Set([hash(FILE)]))
  const posted = await send(client, exchangeFor('POST', `${url}/version`, { body: FILE }))
  assert.equal(await textOf(posted), `HTTP/2.0 localhost:${port} POST`)
  assert.equal(client.stats[0]?.connected, 1)
  // More than nginx processes on one connection: it excludes the others by GOAWAY.
  const burst = Array.from({ length: 60 }, async (_, at) => {
    const exchange =
      at % 2 === 0 ? exchangeFor('GET', `${url}/version`) : exchangeFor('POST', `${url}/version`, { body: 'x' })
    return (await textOf(await send(client, exchange))).split(' ')[2]
  })
  const methods = await within('the burst was answered', Promise.all(burst))
  assert.equal(methods.filter((method) => method === 'POST').length, 30)
})

test('nghttpd: cleartext HTTP/2 with prior knowledge', { skip: nghttpdMissing }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-nghttpd-'))
  writeFileSync(join(directory, 'file.bin'), FILE)
  const port = await freePort()
  const server = spawn(
    'nghttpd',
    ['--no-tls', '-a', '127.0.0.1', '-d', directory, '--trailer', 'x-sum: 42', `${port}`],
    {
      stdio: 'ignore',
    },
  )
  try {
    await accepts(port, server)
    await using client = clientWith({ http2: { overTls: true, inClear: 'prior-knowledge' } })
    const { body, status } = await send(client, exchangeFor('GET', `http://127.0.0.1:${port}/file.bin`))
    assert.equal(status, 200)
    const received = createHash('sha256')
    const end = new Promise((resolve, reject) => {
      body.pipe({ write: (chunk) => received.update(chunk) === received, end: resolve, fail: reject })
    })
    const trailers = await within('the body ended', end)
    assert.equal(received.digest('hex'), hash(FILE))
    assert.deepEqual(trailers, ['x-sum', '42'])
    const missing = await send(client, exchangeFor('GET', `http://127.0.0.1:${port}/nothing`))
    assert.equal(missing.status, 404)
  } finally {
    server.kill('SIGTERM')
    if (server.exitCode === null) await once(server, 'exit')
    rmSync(directory, { recursive: true, force: true })
  }
})
