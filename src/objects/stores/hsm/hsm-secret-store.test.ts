import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CompactEncrypt, compactVerify } from 'jose'
import { providerOf, type SecretStore } from '#contracts'
import { type Filter, respond } from '#http'
import { decryptToken, openJwt, parseToken, type SignatureAlgorithm, signJwt } from '#jose'
import type { JsonObject } from '#json'
import { build, type ManualClock, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { Folder } from '#test/folder'
import { moduleProcesses, PIN, SoftHsm, softHsmLibrary, softHsmMissing } from '#test/soft-hsm'
import { waitUntil } from '#test/waiting'
import { PrivateKeyJwtClientAuthenticationFilter } from '../../filters/private-key-jwt-client-authentication/private-key-jwt-client-authentication-filter.ts'
import { identityOfSecret } from '../../lib/tls/secret-identity.ts'
import { ClientTlsOptions } from '../../tls/client-tls-options/client-tls-options.ts'
import { SecretsKeyManager } from '../../tls/secrets-key-manager/secrets-key-manager.ts'
import { Base64EncodedSecretStore } from '../base64-encoded/base64-encoded-secret-store.ts'
import { HsmSecretStore } from './hsm-secret-store.ts'

const pins = {
  name: 'pins',
  type: 'Base64EncodedSecretStore',
  config: { secrets: { 'hsm.pin': btoa(PIN), 'wrong.pin': btoa('31337-wrong-pin') } },
}

const MAPPINGS = [
  { secretId: 'rsa', aliases: ['rsa-key'] },
  { secretId: 'ec', aliases: ['ec-key'] },
]

test('a file with the name of a Java provider alone is a load error that names what to add', async () => {
  const config = { providerName: 'SunPKCS11-SoftHSM', storePassword: 'hsm.pin', secretsProvider: 'pins' }
  await assert.rejects(
    build(HsmSecretStore, { ...config, mappings: MAPPINGS }, { types: [Base64EncodedSecretStore], heap: [pins] }),
    /\/heap\/0\/config\/library: library is required: the path of the PKCS #11 module.*"library" in the Java configuration.*token/,
  )
})

describe('SoftHSM', { skip: softHsmMissing }, () => {
  let hsm: SoftHsm
  before(() => {
    hsm = new SoftHsm()
  })
  after(() => hsm[Symbol.dispose]())

  const store = (config: JsonObject = {}, options: { clock?: ManualClock; path?: string } = {}) =>
    build<SecretStore>(
      HsmSecretStore,
      {
        library: softHsmLibrary,
        token: 'gateway',
        storePasswordSecretId: 'hsm.pin',
        secretsProvider: 'pins',
        mappings: MAPPINGS,
        ...config,
      },
      {
        types: [Base64EncodedSecretStore],
        heap: [pins],
        env: { ...hsm.variables, ...(options.path !== undefined && { PATH: options.path }) },
        ...(options.clock !== undefined && { clock: options.clock }),
      },
    )

  const signed = async (object: SecretStore, algorithm: SignatureAlgorithm = 'RS256', secretId = 'rsa') => {
    const secret = await providerOf([object]).active({ secretId, purpose: 'SIGN' })
    return signJwt(secret, { sub: 'bjensen' }, { algorithm })
  }

  test('keys in the token sign tokens, and their public parts verify them', async () => {
    await using built = await store()
    const verification = (secretId: string) => ({ verification: { provider: providerOf([built.object]), secretId } })
    for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const) {
      const token = await signed(built.object, algorithm)
      const { protectedHeader } = await compactVerify(token, hsm.rsa)
      assert.deepEqual(protectedHeader, { typ: 'JWT', kid: 'rsa-key', alg: algorithm })
      assert.equal((await openJwt(token, verification('rsa'))).outcome, 'opened')
    }
    const token = await signed(built.object, 'ES256', 'ec')
    await compactVerify(token, hsm.ec)
    assert.equal((await openJwt(token, verification('ec'))).outcome, 'opened')
    assert.equal((await openJwt(token, verification('rsa'))).outcome, 'invalid')
    await assert.rejects(signed(built.object, 'ES384', 'ec'), /can not sign by ES384; its key is one for ES256/)
    assert.deepEqual(built.warnings, [])
    assert.equal(await built.object.find({ secretId: 'other', purpose: 'SIGN' }), null)
  })

  test('many signatures at once are made one after the other', async () => {
    await using built = await store()
    const tokens = await Promise.all(Array.from({ length: 50 }, () => signed(built.object)))
    await Promise.all(tokens.map((token) => compactVerify(token, hsm.rsa)))
    assert.equal(moduleProcesses().length, 1)
  })

  test('a token that is encrypted to a key in the module is decrypted, any other is not', async () => {
    await using built = await store()
    const source = { provider: providerOf([built.object]), secretId: 'rsa' }
    for (const enc of ['A128GCM', 'A256GCM', 'A128CBC-HS256', 'A192CBC-HS384', 'A256CBC-HS512']) {
      const text = await new CompactEncrypt(Buffer.from('hello'))
        .setProtectedHeader({ alg: 'RSA-OAEP', enc })
        .encrypt(hsm.rsa)
      const decryption = await decryptToken(parseToken(text) as never, source)
      assert.ok(decryption.outcome === 'decrypted')
      assert.equal(decryption.content.toString(), 'hello')
      assert.equal(decryption.authenticated, false)
      const parts = text.split('.')
      for (const at of [1, 3, 4]) {
        const other = [...parts]
        const bytes = Buffer.from(other[at] as string, 'base64url')
        bytes[0] = (bytes[0] as number) ^ 1
        other[at] = bytes.toString('base64url')
        assert.equal((await decryptToken(parseToken(other.join('.')) as never, source)).outcome, 'invalid')
      }
    }
  })

  test('the private key can not be had, so that TLS is refused with the reason', async () => {
    await using built = await store()
    const [secret] = (await built.object.find({ secretId: 'ec', purpose: 'SIGN' })) ?? []
    assert.ok(secret)
    assert.equal(secret.privateOrSecretKey, null)
    assert.equal(secret.certificates[0]?.subject, 'CN=in the module')
    assert.match(secret.refusal('DECRYPT') ?? '', /key usage allows VERIFY, SIGN only/)
    assert.throws(
      () => identityOfSecret(secret),
      /inside of a security module, and TLS of Node.js needs the key itself/,
    )
  })

  const mistakes: readonly [string, JsonObject, RegExp][] = [
    [
      'a wrong PIN',
      { storePasswordSecretId: 'wrong.pin' },
      /storePasswordSecretId: .*the token "gateway" rejects the PIN \(C_Login returned CKR_PIN_INCORRECT\)/,
    ],
    [
      'a PIN that no store has',
      { storePasswordSecretId: 'no.pin' },
      /storePasswordSecretId: .*the PIN can not be had: no secret store knows/,
    ],
    [
      'a missing library',
      { library: '/nowhere/libhsm.so' },
      /library: the PKCS #11 module "\/nowhere\/libhsm.so" can not be read: ENOENT/,
    ],
    [
      'a token that the module does not have',
      { token: 'other' },
      /token: .*no token "other"; its tokens are "gateway" in the slot \d+/,
    ],
    [
      'a slot without a token',
      { token: null, slot: 4711 },
      /slot: .*no token in the slot 4711; its tokens are "gateway"/,
    ],
    [
      'an alias that the token does not have',
      { mappings: [{ secretId: 'x', aliases: ['rsa-key', 'no-key'] }] },
      /mappings\/0\/aliases\/1: the token has no object with the label "no-key", which the secret id "x" is mapped to/,
    ],
    [
      'a symmetric key',
      { mappings: [{ secretId: 'x', aliases: ['aes-key'] }] },
      /mappings\/0\/aliases\/0: .*it is a symmetric key; only private keys/,
    ],
  ]
  for (const [what, config, message] of mistakes) {
    test(`${what} is a load error with its field, without the PIN`, async () => {
      await assert.rejects(store(config), (error: Error) => {
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /31337|90210/)
        return true
      })
      await waitUntil('the process of the module ended', () => moduleProcesses().length === 0)
    })
  }

  test('a library that is no PKCS #11 module, and a missing p11-kit, are load errors', async () => {
    using folder = new Folder({ 'libother.so': 'not a library' })
    await assert.rejects(
      store({ library: folder.in('libother.so') }),
      /config\/library: the PKCS #11 module ".*libother.so": the process of the module exited with status \d+/,
    )
    await assert.rejects(
      store({}, { path: '/nowhere' }),
      /config\/library: .*the program p11-kit.* is not installed: Debian has it in the package p11-kit/,
    )
  })

  test('a wrong PIN is tried once, and not again while it is the same', async () => {
    const clock = manualClock()
    using folder = new Folder()
    // Notes each start of the real program.
    const { PATH = '' } = hsm.variables
    folder.write('p11-kit', `#!/bin/sh\necho started >> ${folder.in('starts')}\nPATH=${PATH}\nexec p11-kit "$@"\n`)
    chmodSync(folder.in('p11-kit'), 0o755)
    const starts = () => folder.read('starts').split('\n').length - 1
    await using built = await store({}, { clock, path: `${folder.path}:${PATH}` })
    hsm.changePin(PIN, 'another-pin')
    try {
      process.kill(moduleProcesses()[0] as number, 'SIGKILL')
      await assert.rejects(signed(built.object), /rejects the PIN .*it is not tried again before it changes/)
      assert.equal(starts(), 2)
      for (let round = 0; round < 3; round++) {
        clock.advance(60_000)
        await assert.rejects(signed(built.object), /rejects the PIN/)
      }
      assert.equal(starts(), 2)
    } finally {
      hsm.changePin('another-pin', PIN)
    }
  })

  test('a process that was killed is replaced, and no signature fails', async () => {
    await using built = await store()
    await signed(built.object)
    for (let round = 0; round < 3; round++) {
      const [pid] = moduleProcesses()
      const pending = Array.from({ length: 20 }, () => signed(built.object))
      process.kill(pid as number, 'SIGKILL')
      for (const token of await Promise.all(pending)) await compactVerify(token, hsm.rsa)
      assert.notEqual(moduleProcesses()[0], pid)
    }
  })

  test('a module that does not respond is stopped after the timeout, and used again after a pause', async (context) => {
    const clock = manualClock()
    await using built = await store({}, { clock })
    process.kill(moduleProcesses()[0] as number, 'SIGSTOP')
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const pending = Promise.allSettled([signed(built.object), signed(built.object)])
    await setImmediate()
    context.mock.timers.tick(10_000)
    context.mock.timers.reset()
    const [first, second] = await pending
    assert.ok(first?.status === 'rejected' && second?.status === 'rejected')
    assert.match(first.reason.message, /the module has not answered C_SignInit within 10000 ms and was stopped/)
    assert.equal(second.reason.message, first.reason.message)
    // Public keys are known for the lease.
    assert.equal((await built.object.find({ secretId: 'rsa', purpose: 'VERIFY' }))?.length, 1)
    await waitUntil('the process of the module ended', () => moduleProcesses().length === 0)
    await assert.rejects(signed(built.object), /has not answered/)
    clock.advance(1_000)
    await compactVerify(await signed(built.object), hsm.rsa)
    const lines = built.log.lines.map((line) => JSON.stringify(line)).join('\n')
    assert.match(lines, /GW_STORE_HSM_UNUSABLE/)
    assert.match(lines, /can be used again/)
    assert.equal(built.states.length, 2)
    assert.match(built.states.join(), /degraded.*can not be used.*up.*is in use/)
  })

  test('private_key_jwt signs in the module, and a key manager of TLS is a load error', async () => {
    const config = { token: 'gateway', storePasswordSecretId: 'hsm.pin', secretsProvider: 'pins', mappings: MAPPINGS }
    const options = {
      types: [Base64EncodedSecretStore, HsmSecretStore],
      heap: [pins, { name: 'hsm', type: 'HsmSecretStore', config: { library: softHsmLibrary, ...config } }],
      env: hsm.variables,
    }
    const client = { clientId: 'gateway', tokenEndpoint: 'https://as.example/token', secretsProvider: 'hsm' }
    await using built = await build<Filter>(
      PrivateKeyJwtClientAuthenticationFilter,
      { ...client, signingSecretId: 'ec', signingAlgorithm: 'ES256' },
      options,
    )
    let form = ''
    await built.object(exchangeFor('POST', 'https://as.example/token'), async ({ request }) => {
      form = request.body.text()
      return respond(200)
    })
    const { payload } = await compactVerify(new URLSearchParams(form).get('client_assertion') ?? '', hsm.ec)
    assert.equal(JSON.parse(Buffer.from(payload).toString()).iss, 'gateway')
    await assert.rejects(
      build(
        ClientTlsOptions,
        { keyManager: { type: 'SecretsKeyManager', config: { signingSecretId: 'ec', secretsProvider: 'hsm' } } },
        { ...options, types: [...options.types, SecretsKeyManager] },
      ),
      /the secret id "ec" is inside of a security module, and TLS of Node.js needs the key itself/,
    )
  })

  test('an invalid response of the process is an error, not a fault of the gateway', async () => {
    const garbage = {
      'another version of its protocol': 'printf "\\007"',
      'a response that is too long': 'printf "\\000\\000\\000\\000\\001\\377\\377\\377\\377\\377\\377\\377\\377"',
      'an invalid response to C_Initialize':
        'printf "\\000\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000\\002xx"',
    }
    for (const [message, command] of Object.entries(garbage)) {
      using folder = new Folder({ 'p11-kit': `#!/bin/sh\n${command}\nexec /bin/sleep 60\n` })
      chmodSync(folder.in('p11-kit'), 0o755)
      const outcome = await store({}, { path: folder.path }).then(
        async (built) => {
          await built[Symbol.asyncDispose]()
          return built.warnings.join()
        },
        (error: Error) => error.message,
      )
      assert.match(outcome, new RegExp(message))
    }
  })

  test('two keys of one label, and several tokens without a choice, are load errors', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    for (const id of ['0a', '0b']) hsm.import('twice', id, privateKey)
    await assert.rejects(
      store({ mappings: [{ secretId: 'x', aliases: ['twice'] }] }),
      /aliases\/0: .*several objects of a kind have its label or ID/,
    )
    await using only = await store({ token: null })
    await compactVerify(await signed(only.object), hsm.rsa)
    hsm.addToken('second')
    await assert.rejects(
      store({ token: null }),
      /several tokens: add token or slot; its tokens are ".*" in the slot \d+, "/,
    )
  })

  test('a module that hangs at the start does not stop the load', async () => {
    using folder = new Folder({ 'p11-kit': '#!/bin/sh\nexec /bin/sleep 60\n' })
    chmodSync(folder.in('p11-kit'), 0o755)
    await using built = await store({ callTimeout: '100 milliseconds' }, { path: folder.path })
    assert.match(built.warnings.join(), /has not answered C_Initialize within 100 ms.*lookups of its keys fail until/)
  })

  test('a new key of the same label counts after the lease, others stay as they are', async () => {
    const clock = manualClock()
    const keys = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-384' }))
    hsm.import('rotated', '07', keys[0]!.privateKey)
    const mappings = [...MAPPINGS, { secretId: 'rotated', aliases: ['rotated'] }]
    await using built = await store({ leaseExpiry: '1 minute', mappings }, { clock })
    const before = await built.object.find({ secretId: 'rsa', purpose: 'SIGN' })
    clock.advance(61_000)
    assert.equal(await built.object.find({ secretId: 'rsa', purpose: 'SIGN' }), before)
    await compactVerify(await signed(built.object, 'ES384', 'rotated'), keys[0]!.publicKey)

    for (const type of ['privkey', 'pubkey']) hsm.tool('--delete-object', '--type', type, '--id', '07')
    hsm.import('rotated', '07', keys[1]!.privateKey)
    let changes = 0
    built.object.onChange(() => changes++)
    clock.advance(61_000)
    await compactVerify(await signed(built.object, 'ES384', 'rotated'), keys[1]!.publicKey)
    assert.equal(changes, 1)
  })

  test('no process is left behind', async () => {
    const built = await store()
    assert.equal(moduleProcesses().length, 1)
    await built[Symbol.asyncDispose]()
    await waitUntil('the process of the module ended', () => moduleProcesses().length === 0)
  })
})
