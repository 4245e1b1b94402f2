import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeDemoCertificate } from './demo-certificate.ts'
import { CHANGED_POLICY } from './demo-policies.ts'

/** A sample instance in a temporary directory, removed at the end of its scope. */
interface SampleInstance extends Disposable {
  readonly directory: string
}

/** Settings of the sample instance for one run. */
interface SampleSettings {
  /** URL of the application behind the gateway. */
  readonly application: string
  /** URL of the access manager and credentials of the gateway. */
  readonly accessManager: { readonly url: string; readonly agentPassword: string; readonly clientSecret: string }
  readonly port: number
  readonly tlsPort: number
  readonly adminPort: number
}

const SOURCE = join(import.meta.dirname, 'sample-instance')

const TLS_OBJECTS = [
  {
    name: 'certificates',
    type: 'FileSystemSecretStore',
    config: { directory: '&{gateway.instance.dir}/secrets', format: { type: 'PemPropertyFormat' } },
  },
  {
    name: 'https',
    type: 'ServerTlsOptions',
    config: {
      keyManager: {
        type: 'SecretsKeyManager',
        config: { signingSecretId: 'tls', secretsProvider: 'certificates' },
      },
    },
  },
]

/** Copies the sample instance to a fresh temporary directory and fills in ports and addresses. */
export function createSampleInstance(settings: SampleSettings): SampleInstance {
  const { application, accessManager, port, tlsPort, adminPort } = settings
  const directory = mkdtempSync(join(tmpdir(), 'gateway-demo-'))
  cpSync(SOURCE, directory, { recursive: true })
  const admin = {
    mode: 'DEVELOPMENT',
    // Loopback only: the demo accepts requests of this host alone.
    connectors: [
      { port, host: '127.0.0.1', gracePeriod: '2 seconds' },
      { port: tlsPort, host: '127.0.0.1', gracePeriod: '2 seconds', tls: 'https' },
    ],
    heap: TLS_OBJECTS,
    adminConnector: { port: adminPort, host: '127.0.0.1', gracePeriod: '1 second' },
    gatewayUnits: 1,
    // Its audit events are on standard output already.
    accessLog: { destination: 'off' },
  }
  writeJson(join(directory, 'config', 'admin.json'), admin)
  writeJson(join(directory, 'config', 'application.json'), { url: application })
  writeJson(join(directory, 'config', 'access-manager.json'), { url: accessManager.url })
  writeJson(join(directory, 'changed-policy.json'), CHANGED_POLICY)
  mkdirSync(join(directory, 'secrets'), { mode: 0o700 })
  writeFileSync(join(directory, 'secrets', 'agent.password'), accessManager.agentPassword, { mode: 0o600 })
  writeFileSync(join(directory, 'secrets', 'oidc.secret'), accessManager.clientSecret, { mode: 0o600 })
  writeDemoCertificate(join(directory, 'secrets'))
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
