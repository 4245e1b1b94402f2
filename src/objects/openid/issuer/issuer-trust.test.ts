// One `trust` for every request to a provider.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { ClientRegistration as Registration } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Authority, opensslMissing } from '#test/certificates'
import { exchangeFor } from '#test/exchange'
import { ManualExecutor } from '#test/manual-executor'
import { once } from '#test/waiting'
import { PemPropertyFormat } from '../../formats/pem/pem-property-format.ts'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { FileSystemSecretStore } from '../../stores/file-system/file-system-secret-store.ts'
import { SecretsTrustManager } from '../../tls/secrets-trust-manager/secrets-trust-manager.ts'
import { ClientRegistration } from '../client-registration/client-registration.ts'
import { Issuer } from './issuer.ts'

const METADATA = '/.well-known/openid-configuration'

const options = { skip: opensslMissing }
const scheduling = new ManualExecutor().buildOptions
const types = [
  ...scheduling.types,
  Issuer,
  ClientHandler,
  SecretsTrustManager,
  FileSystemSecretStore,
  PemPropertyFormat,
]
const JWK = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
const TOKEN = `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.c2ln`

test(
  'trust of the issuer is used for metadata, keys, tokens and user info; without it all requests fail',
  options,
  async () => {
    using authority = new Authority()
    const { key, certificate: cert } = authority.issue({ name: 'localhost', altNames: 'IP:127.0.0.1' })
    const paths: string[] = []
    const server = createServer({ key, cert }, ({ url = '' }, response) => {
      paths.push(url)
      const { port } = server.address() as AddressInfo
      const at = (path: string) => `https://127.0.0.1:${port}${path}`
      const metadata = {
        issuer: at(''),
        authorization_endpoint: at('/authorize'),
        token_endpoint: at('/token'),
        jwks_uri: at('/keys'),
      }
      response.end(JSON.stringify(url === METADATA ? metadata : { keys: [JWK] }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const trust = {
        type: 'SecretsTrustManager',
        config: {
          verificationSecretId: 'ca.pem',
          secretsProvider: {
            type: 'FileSystemSecretStore',
            config: { directory: authority.directory, format: { type: 'PemPropertyFormat' } },
          },
        },
      }
      const calls = async (issuer: Record<string, JsonValue>) => {
        const config = { clientId: 'portal', issuer: 'server' }
        const heap = [
          ...scheduling.heap,
          { name: 'ClientHandler', type: 'ClientHandler' },
          { name: 'server', type: 'Issuer', config: { wellKnownEndpoint: `${url}${METADATA}`, ...issuer } },
        ]
        await using built = await build<Registration>(ClientRegistration, config, { types, heap })
        const { object: registration } = built
        const reached = async (call: () => Promise<unknown>) =>
          call().then(
            () => true,
            () => false,
          )
        return [
          await reached(() => registration.issuer.metadata()),
          await reached(() => registration.idTokenProblem(TOKEN)),
          await reached(() => registration.authenticatedHandler(exchangeFor('POST', `${url}/token`))),
          await reached(() => registration.handler(exchangeFor('GET', `${url}/userinfo`))),
        ]
      }
      assert.deepEqual(await calls({}), [false, false, false, false])
      assert.deepEqual(paths, [])
      assert.deepEqual(await calls({ trust }), [true, true, true, true])
      assert.deepEqual([...new Set(paths)].sort(), [METADATA, '/keys', '/token', '/userinfo'])
      await assert.rejects(
        calls({ trust, issuerHandler: 'ClientHandler' }),
        (error: Error & { problems?: object[] }) => {
          assert.match(JSON.stringify(error.problems), /trust.*issuerHandler/)
          return true
        },
      )
    } finally {
      server.closeAllConnections()
      server.close()
    }
  },
)
