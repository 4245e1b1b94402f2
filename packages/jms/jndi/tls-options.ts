import type { EndpointTls } from '../producer-plan.ts'
import type { OptionReader } from './option-reader.ts'

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const

/** Names of the options of TLS in an address. */
interface TlsOptionNames {
  readonly verifyHost: string
  readonly protocols: string
  readonly suites: string
}

/** Reads the options of TLS; versions that are broken and suites that do not exist here are problems. */
export function readTlsOptions(reader: OptionReader, names: TlsOptionNames): EndpointTls {
  const verifyHostName = reader.boolean(names.verifyHost)
  if (verifyHostName === false)
    reader.warning(names.verifyHost, 'the name in the certificate of the broker is not checked')
  const protocols = (reader.list(names.protocols) ?? []).filter((protocol) => {
    const problem = reader.names.protocolProblem(protocol)
    if (problem !== null) reader.problem(names.protocols, problem)
    return problem === null
  })
  const suites = (reader.list(names.suites) ?? []).flatMap((name) => {
    const read = reader.names.cipherSuite(name)
    if ('suite' in read) return [read.suite]
    reader.problem(names.suites, read.problem)
    return []
  })
  return {
    verifyHostName,
    minVersion: VERSIONS.find((version) => protocols.includes(version)) ?? null,
    maxVersion: VERSIONS.findLast((version) => protocols.includes(version)) ?? null,
    ciphers: suites.length === 0 ? null : suites.join(':'),
  }
}
