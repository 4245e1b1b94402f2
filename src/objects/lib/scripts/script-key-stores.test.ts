// Keys of openssl and keytool, used by scripts through secret stores.
import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { jwtVerify } from 'jose'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { opensslMissing } from '#test/certificates'
import { exchangeFor } from '#test/exchange'
import { Folder } from '#test/folder'
import { keytool, keytoolMissing, openssl } from '#test/keystore-tools'
import { PemPropertyFormat } from '../../formats/pem/pem-property-format.ts'
import { PlainPropertyFormat } from '../../formats/plain/plain-property-format.ts'
import { ScriptableHandler } from '../../handlers/scriptable/scriptable-handler.ts'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { FileSystemSecretStore } from '../../stores/file-system/file-system-secret-store.ts'
import { KeyStoreSecretStore } from '../../stores/key-store/key-store-secret-store.ts'

const GROOVY = `
  import org.forgerock.json.jose.builders.JwtBuilderFactory
  import org.forgerock.json.jose.common.JwtReconstruction
  import org.forgerock.json.jose.jws.*
  def handler = new SigningManager().newSigningHandler(secrets.get(id))
  def token = new JwtBuilderFactory().jws(handler).claims([sub: 'ada']).build()
  def isValid = new JwtReconstruction().reconstructJwt(token, SignedJwt.class).verify(handler)
  new Response(Status.OK).setEntity([token: token, isValid: isValid])`

const JAVASCRIPT = `
  const key = await secrets.get(id)
  const token = await key.signJwt({ sub: 'ada' })
  return new Response({ entity: { token, isValid: (await key.verifyJwt(token)) !== null } })`

/** The token of a script with a key of a store, and whether the script verified it. */
async function tokenOf(type: string, source: string, id: string, store: JsonObject) {
  const config = { type, source, args: { id }, secretsProvider: store }
  await using built = await build<Handler>(ScriptableHandler, config, {
    types: [
      StaticResponseHandler,
      FileSystemSecretStore,
      KeyStoreSecretStore,
      PemPropertyFormat,
      PlainPropertyFormat,
      ScheduledExecutorService,
    ],
    heap: [
      { name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202 } },
      { name: 'PLAIN', type: 'PlainPropertyFormat' },
      { name: 'BASE64', type: 'PlainPropertyFormat' },
      { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
    ],
  })
  const response = await built.object(exchangeFor('GET', 'http://app.example.com/'))
  await response.body.read(10_000)
  return JSON.parse(response.body.text()) as { token: string; isValid: boolean }
}

const LANGUAGES = [
  ['application/x-groovy', GROOVY],
  ['application/typescript', JAVASCRIPT],
] as const

test('scripts sign and verify with PEM keys of openssl', { skip: opensslMissing }, async () => {
  using folder = new Folder()
  const keys = {
    rsa: 'RSA -pkeyopt rsa_keygen_bits:2048',
    ec: 'EC -pkeyopt ec_paramgen_curve:P-384',
    ed: 'ED25519',
  }
  const algorithms = { rsa: 'RS256', ec: 'ES384', ed: 'EdDSA' }
  const format = { type: 'PemPropertyFormat' }
  const store = { type: 'FileSystemSecretStore', config: { directory: folder.path, format } }
  for (const [id, options] of Object.entries(keys)) {
    await openssl(folder.path, `genpkey -algorithm ${options} -out ${id}`)
    await openssl(folder.path, `pkey -in ${id} -pubout -out ${id}.public`)
    const publicKey = createPublicKey(readFileSync(folder.in(`${id}.public`)))
    for (const [type, source] of LANGUAGES) {
      const { token, isValid } = await tokenOf(type, source, id, store)
      const { payload, protectedHeader } = await jwtVerify(token, publicKey)
      assert.deepEqual([payload.sub, protectedHeader.alg, isValid], ['ada', algorithms[id as 'rsa'], true], type)
    }
  }
})

test('scripts sign and verify with a keystore of keytool', { skip: keytoolMissing }, async () => {
  using folder = new Folder()
  folder.write('keystore.pass', 'correct-horse')
  const common = '-keystore keys.p12 -storetype PKCS12 -storepass correct-horse'
  await keytool(folder.path, `-genkeypair -alias signing -keyalg RSA -keysize 2048 -dname CN=app ${common}`)
  const certificate = await keytool(folder.path, `-exportcert -rfc -alias signing ${common}`)
  const passwords = { type: 'FileSystemSecretStore', config: { directory: folder.path, format: 'PLAIN' } }
  const store = {
    type: 'KeyStoreSecretStore',
    config: {
      file: folder.in('keys.p12'),
      storePasswordSecretId: 'keystore.pass',
      secretsProvider: passwords,
      mappings: [{ secretId: 'jwt.signing', aliases: ['signing'] }],
    },
  }
  for (const [type, source] of LANGUAGES) {
    const { token, isValid } = await tokenOf(type, source, 'jwt.signing', store)
    const { protectedHeader } = await jwtVerify(token, createPublicKey(certificate))
    assert.deepEqual([protectedHeader.alg, isValid], ['RS256', true], type)
  }
})
