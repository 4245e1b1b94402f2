import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type Arguments, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { shownPath } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { writeJson } from '../terminal.ts'
import { type GeneratedKeystore, generateKeystore, KEY_TYPES, type KeystoreOptions } from './generate-keystore.ts'

/** `gateway keys generate`: a keystore for development. */
export const command: Command = {
  usage: [
    'keys generate [--out FILE] [--alias NAME] [--type rsa|ec|ed25519] [--hostname NAME]... [--days N] [--password-file FILE] [--json]',
  ],
  description: [
    'Creates a PKCS12 keystore with a new key and a self-signed certificate, for development: browsers do not trust it. For production use a certificate of an authority.',
    'The password is read from the password file, or generated and written to it if it does not exist; it is never printed. Existing files are not overwritten.',
  ],
  options: [
    { name: 'out', value: 'FILE', description: 'The keystore to create; keystore.p12 by default.' },
    { name: 'alias', value: 'NAME', description: 'Name of the key in the keystore; server by default.' },
    {
      name: 'type',
      value: 'TYPE',
      description: 'rsa, ec (default) or ed25519, which browsers do not support.',
      complete: ['rsa', 'ec', 'ed25519'],
    },
    {
      name: 'hostname',
      value: 'NAME',
      repeated: true,
      description: 'Host name or address of the certificate; localhost, 127.0.0.1 and ::1 by default.',
    },
    { name: 'days', value: 'N', description: 'Days until the certificate expires, 1 to 3650; 365 by default.' },
    { name: 'password-file', value: 'FILE', description: 'File of the password; the keystore with .pass by default.' },
  ],
  operands: { least: 1, most: 1, complete: ['generate'] },
  examples: [
    {
      line: 'gateway keys generate --out secrets/keystore.p12 --password-file secrets/keystore.pass',
      note: 'for https://localhost',
    },
    { line: 'gateway keys generate --hostname gateway.test --type rsa --days 30', note: 'for one name, for a month' },
  ],
  exits: [[EXIT.failed, 'a file exists already or can not be written']],
  async run(args, context) {
    if (args.operands[0] !== 'generate') {
      throw new UsageError(`expected generate, got "${args.operands[0]}"`)
    }
    const options = wishOf(args)
    try {
      const made = generateKeystore(options, new Date())
      if (args.json) writeJson(context.stdout, { ...options, ...made })
      else printResult(options, made, context)
      return EXIT.ok
    } catch (error) {
      const { code, path, message } = error as NodeJS.ErrnoException
      const reason = code === 'EEXIST' ? `${path} is there already and is not touched; choose another name` : message
      context.stderr.write(`gateway: keys: ${reason}\n`)
      return EXIT.failed
    }
  },
}

function wishOf(args: Arguments): KeystoreOptions {
  const out = resolve(args.value('out') ?? 'keystore.p12')
  const type = (args.value('type') ?? 'ec') as KeystoreOptions['type']
  if (!KEY_TYPES.includes(type)) throw new UsageError(`--type: expected ${KEY_TYPES.join(', ')}, got "${type}"`)
  const given = args.values('hostname')
  const hosts = given.length > 0 ? given : ['localhost', '127.0.0.1', '::1']
  for (const host of hosts) {
    if (isIP(host) === 0 && !/^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/.test(host)) {
      throw new UsageError(`--hostname: expected a host name or an address, got "${host}"`)
    }
  }
  const days = Number(args.value('days') ?? 365)
  if (!Number.isInteger(days) || days < 1 || days > 3650) {
    throw new UsageError(`--days: expected a whole number from 1 to 3650, got "${args.value('days')}"`)
  }
  const passwordFile = resolve(args.value('password-file') ?? out.replace(/(?:\.(?:p12|pfx))?$/, '.pass'))
  return { out, alias: args.value('alias') ?? 'server', type, hosts, days, passwordFile }
}

function printResult(options: KeystoreOptions, made: GeneratedKeystore, { stdout }: ProcessContext): void {
  const password = `${shownPath(options.passwordFile)}${made.passwordIsNew ? ' (new)' : ''}`
  stdout.write(
    `made ${shownPath(options.out)}\n  for       ${options.hosts.join(', ')}\n  until     ${made.notAfter.toISOString().slice(0, 10)}\n` +
      `  SHA-256   ${made.fingerprint}\n  password  in ${password}\n`,
  )
}
