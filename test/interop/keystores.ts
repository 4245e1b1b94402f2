// Keystores of brokers that run in a JVM.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Authority, Issued } from '#test/certificates'
import type { Folder } from '#test/folder'
import { findJdk } from './jdk.ts'

export const KEYSTORE_PASSWORD = 'changeit'

/** Certificates of a broker. */
export interface BrokerTls {
  /** Trusted for client certificates. */
  readonly authority: Authority
  readonly server: Issued
}

/** Writes `keys.p12` and `trust.p12`. */
export function writeKeystores(folder: Folder, { authority, server }: BrokerTls): void {
  execute('openssl', [
    ...['pkcs12', '-export', '-inkey', server.keyFile, '-in', server.certificateFile],
    ...['-out', folder.in('keys.p12'), '-passout', `pass:${KEYSTORE_PASSWORD}`],
  ])
  execute(join(findJdk(17), 'bin', 'keytool'), [
    ...['-importcert', '-noprompt', '-alias', 'ca', '-file', authority.certificateFile],
    ...['-keystore', folder.in('trust.p12'), '-storetype', 'PKCS12', '-storepass', KEYSTORE_PASSWORD],
  ])
}

function execute(command: string, args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr}`)
}
