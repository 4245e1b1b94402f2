import { type Arguments, named } from '../arguments.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { DEFINE_OPTION, INSTANCE_OPTION, STATE_OPTION } from '../instance-settings.ts'
import type { ProcessContext } from '../process-context.ts'
import { queryEvents } from './query-events.ts'
import { tailEvents } from './tail-events.ts'
import { verifyFiles } from './verify-files.ts'

const SUBCOMMANDS: Readonly<Record<string, (args: Arguments, context: ProcessContext) => Promise<number>>> = {
  verify: verifyFiles,
  tail: tailEvents,
  query: queryEvents,
}

/** `gateway audit`: verifies audit files and reads their events. */
export const command: Command = {
  usage: [
    'audit verify [--instance DIR] [--state DIR] [--secret-file FILE] FILE... [--json]',
    'audit tail [--instance DIR] [--state DIR] [--handler NAME] [TOPIC] [-n N] [-f]',
    'audit query [--instance DIR] [--state DIR] [--handler NAME] [--topic TOPIC] [--filter FILTER] [-n N] [--count]',
  ],
  description: [
    'verify checks tamper-evident files (`security` of an event handler), rotated and compressed ones too, and prints the first line that was changed, removed or added: FILE:LINE: MESSAGE. Name all files of a trail, with its .head, or their folder: then files that are missing at its begin and end are found too. A gateway may write, rotate, compress and remove the files meanwhile; rotated files with a prefix are recognised by their chain. The secret is that of the event handlers of the instance, or of --secret-file: bytes of a shared secret, or a private or public key as PEM.',
    'tail prints the last events of a topic as JSON lines, and with -f those that follow, until it is stopped, over all rotations; files that retention removes before they are read are reported on standard error. query prints the events that match a filter, the oldest first. Both read the files of the event handler, whether the gateway runs or not. The topic is access by default, or config where no event handler writes access.',
  ],
  options: [
    INSTANCE_OPTION,
    STATE_OPTION,
    { name: 'secret-file', value: 'FILE', description: 'verify: the secret, in place of those of the instance.' },
    {
      name: 'handler',
      value: 'NAME',
      description:
        'tail, query: the event handler; by default the one for queries of config.json, otherwise the first with the topic.',
    },
    { name: 'topic', value: 'TOPIC', description: 'query: the topic.' },
    {
      name: 'filter',
      value: 'FILTER',
      description: `query: a filter as in _queryFilter, such as 'response/statusCode eq "403"'.`,
    },
    {
      name: 'lines',
      short: 'n',
      value: 'N',
      description: 'The last N events; 10 by default for tail, and 0 for none with -f.',
    },
    { name: 'follow', short: 'f', description: 'tail: print further events as they are written.' },
    { name: 'count', description: 'query: print the number of events only.' },
    DEFINE_OPTION,
  ],
  operands: { least: 1, most: 100_000, complete: Object.keys(SUBCOMMANDS), completeRest: 'file' },
  examples: [
    {
      line: 'gateway audit verify --instance ./my-gateway ./my-gateway/logs/audit-access',
      note: 'all files of a folder',
    },
    { line: 'gateway audit verify --secret-file public.pem archive/access.audit.json-*', note: 'on another machine' },
    { line: 'gateway audit tail --instance ./my-gateway access -f', note: 'requests as they are answered' },
    { line: `gateway audit query --filter 'userId eq "ada" and timestamp ge "2026-11-01"'`, note: 'one user' },
  ],
  exits: [
    [EXIT.failed, 'verify: a file was tampered with; or files can not be read'],
    [EXIT.configuration, 'admin.json or config.json can not be used, or has no such event handler'],
  ],
  run(args, context) {
    const [subcommand = ''] = args.operands
    return named(SUBCOMMANDS, subcommand)(args, context)
  },
}
