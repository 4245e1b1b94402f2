// Certificates and keys in files of their own, as certbot, cert-manager and Kubernetes write them, at a whole gateway.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { RunningGateway, textRoute } from '#test/gateway'
import { testIdentity } from '#test/test-identity'
import { waitUntil } from '#test/waiting'

const HOUR = 3_600_000

const pair = (name: string, end?: number) => {
  const { key, certificate } = testIdentity(name, end === undefined ? {} : { to: new Date(end) })
  return { crt: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }) as string }
}

const admin = (directory: string, fields: object = {}) => ({
  connectors: [{ port: 0, host: '127.0.0.1', tls: 'https' }],
  heap: [
    {
      name: 'files',
      type: 'FileSystemSecretStore',
      config: { directory, format: { type: 'PemPropertyFormat' }, ...fields },
    },
    {
      name: 'https',
      type: 'ServerTlsOptions',
      config: {
        keyManager: { type: 'SecretsKeyManager', config: { signingSecretId: 'tls', secretsProvider: 'files' } },
      },
    },
  ],
})

/** The name of the certificate that a handshake gets. */
const peerOf = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })

test('a mounted Kubernetes secret is served, renewed by its swap, and a mismatched pair never', async () => {
  using mounted = new Folder()
  const mount = (version: string, { crt, key }: ReturnType<typeof pair>) => {
    mkdirSync(mounted.in(version))
    writeFileSync(mounted.in(`${version}/tls.crt`), crt)
    writeFileSync(mounted.in(`${version}/tls.key`), key)
    symlinkSync(version, mounted.in('..data_tmp'))
    renameSync(mounted.in('..data_tmp'), mounted.in('..data'))
  }
  const second = pair('second.test')
  mount('..1', pair('first.test'))
  symlinkSync('..data/tls.crt', mounted.in('tls.crt'))
  symlinkSync('..data/tls.key', mounted.in('tls.key'))
  await using running = await RunningGateway.start({ admin: admin(mounted.path), routes: { hello: textRoute('hi') } })
  assert.equal(await peerOf(running.port), 'first.test')
  mount('..2', second)
  await waitUntil('the renewed certificate is served', async () => (await peerOf(running.port)) === 'second.test')
  mount('..3', { ...pair('third.test'), key: second.key })
  await running.log.until(/in the files \\".*tls\.crt\\" and \\".*tls\.key\\": none of the certificates belongs/)
  assert.equal(await peerOf(running.port), 'second.test')
  mount('..4', pair('fourth.test'))
  await waitUntil('the repaired pair is served', async () => (await peerOf(running.port)) === 'fourth.test')
})

const writeInstance = (folder: Folder, { crt, key }: ReturnType<typeof pair>) => {
  folder.write('secrets/tls.crt', crt)
  folder.write('secrets/tls.key', key)
  folder.write('config/admin.json', JSON.stringify(admin(folder.in('secrets')), null, 2))
}

test('validate and the start name both files of a certificate that does not belong to its key', async () => {
  using folder = new Folder()
  writeInstance(folder, { ...pair('a'), key: pair('b').key })
  const { code, stdout } = await gateway(['validate', '--instance', folder.path])
  assert.equal(code, 78)
  const sentence = `admin+files: the secret id "tls" in the files "${folder.in('secrets/tls.crt')}" and "${folder.in('secrets/tls.key')}": none of the certificates belongs to the private key`
  assert.equal(stdout.split(sentence).length, 2, stdout)
  const run = await gateway(['run', '--instance', folder.path])
  assert.equal(run.code, 78)
  assert.ok(`${run.stdout}${run.stderr}`.includes(sentence.replaceAll('"', '\\"')) || run.stderr.includes(sentence))
})

for (const [what, end, message] of [
  [
    'has expired',
    Date.UTC(2026, 0),
    /the certificate "CN=a" of keyManager expired on 2026-01-01T00:00:00\.000Z: peers reject/,
  ],
  [
    'expires within a day',
    Date.now() + 23 * HOUR,
    /the certificate "CN=a" of keyManager expires on .*, in 22 hours; renew it/,
  ],
] as const) {
  test(`validate and the start warn of a certificate that ${what}`, async () => {
    using folder = new Folder()
    writeInstance(folder, pair('a', end))
    const { code, stderr } = await gateway(['validate', '--instance', folder.path])
    assert.equal(code, 0)
    assert.match(stderr, message)
    await using running = await RunningGateway.start({
      admin: admin(folder.in('secrets')),
      routes: { hello: textRoute('hi') },
    })
    assert.equal(await peerOf(running.port), 'a')
  })
}
