import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readKeyStore } from '@identity-gateway/jvm-keystores'
import { gateway } from '#test/command-line'

class Folder implements Disposable {
  readonly path: string

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'gateway-keys-'))
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

test('creates a keystore and its password, readable by the owner only and not printed', async () => {
  using folder = new Folder()
  const out = join(folder.path, 'sub', 'keystore.p12')
  const { code, stdout, stderr } = await gateway(['keys', 'generate', '--out', out])
  assert.equal(code, 0, stderr)
  const passwordFile = join(folder.path, 'sub', 'keystore.pass')
  const password = readFileSync(passwordFile, 'utf8')
  assert.match(password, /^[\w-]{32}$/)
  assert.ok(!stdout.includes(password))
  for (const file of [out, passwordFile]) assert.equal(statSync(file).mode & 0o777, 0o600)
  const [entry] = readKeyStore(readFileSync(out), 'PKCS12', password).entries
  assert.ok(entry?.kind === 'key')
  assert.equal(entry.alias, 'server')
  assert.equal(entry.privateKey(null).asymmetricKeyType, 'ec')
  assert.equal(entry.chain[0]?.checkHost('localhost'), 'localhost')
  assert.equal(entry.chain[0]?.checkIP('127.0.0.1'), '127.0.0.1')
  const days = ((entry.chain[0]?.validToDate.getTime() ?? 0) - Date.now()) / 86_400_000
  assert.ok(days > 364 && days < 366)
})

test('uses its options: names, type, days, alias and an existing password', async () => {
  using folder = new Folder()
  const [out, passwordFile] = [join(folder.path, 'k.p12'), join(folder.path, 'word')]
  writeFileSync(passwordFile, 'given')
  const words = [
    '--hostname',
    'a.test',
    '--hostname',
    '::1',
    '--type',
    'rsa',
    '--days',
    '2',
    '--alias',
    'mine',
    '--json',
  ]
  const { code, stdout } = await gateway(['keys', 'generate', '--out', out, '--password-file', passwordFile, ...words])
  assert.equal(code, 0)
  assert.equal(JSON.parse(stdout).passwordIsNew, false)
  assert.equal(readFileSync(passwordFile, 'utf8'), 'given')
  const entry = readKeyStore(readFileSync(out), 'PKCS12', 'given').entry('mine')
  assert.ok(entry?.kind === 'key')
  assert.equal(entry.privateKey(null).asymmetricKeyType, 'rsa')
  assert.equal(entry.chain[0]?.subjectAltName, 'DNS:a.test, IP Address:0:0:0:0:0:0:0:1')
})

test('overwrites no file', async () => {
  using folder = new Folder()
  const out = join(folder.path, 'k.p12')
  writeFileSync(out, 'mine')
  const { code, stderr } = await gateway(['keys', 'generate', '--out', out])
  assert.equal(code, 1)
  assert.match(stderr, /k\.p12 is there already and is not touched/)
  assert.equal(readFileSync(out, 'utf8'), 'mine')
})

test('leaves no keystore whose password could not be written', async () => {
  using folder = new Folder()
  const [out, passwordFile] = [join(folder.path, 'k.p12'), join(folder.path, 'k.pass')]
  symlinkSync(join(folder.path, 'missing'), passwordFile)
  const { code, stderr } = await gateway(['keys', 'generate', '--out', out, '--password-file', passwordFile])
  assert.equal(code, 1)
  assert.match(stderr, /k\.pass is there already and is not touched/)
  assert.equal(existsSync(out), false)
})

test('invalid options are usage errors', async () => {
  for (const [words, message] of [
    [['make'], /expected generate, got "make"/],
    [['generate', '--type', 'dsa'], /--type: expected rsa, ec, ed25519, got "dsa"/],
    [['generate', '--days', '0'], /--days: expected a whole number from 1 to 3650, got "0"/],
    [['generate', '--hostname', 'a b'], /--hostname: expected a host name or an address, got "a b"/],
  ] as const) {
    const { code, stderr } = await gateway(['keys', ...words])
    assert.equal(code, 64)
    assert.match(stderr, message)
  }
})
