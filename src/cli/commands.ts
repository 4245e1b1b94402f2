import type { Command, CommandEntry } from './command.ts'

/** Every command, in the order of the overview. */
export const COMMANDS: readonly CommandEntry[] = [
  row('run', 'run the gateway on an instance directory', () => import('./run/run-command.ts')),
  row('demo', 'run a sample gateway with an application behind it', () => import('./demo/demo-command.ts')),
  row('init', 'create an instance directory', () => import('./init/init-command.ts')),
  row('health', 'ask a running gateway for its health', () => import('./health-command.ts')),
  row('validate', 'check all configuration without serving traffic', () => import('./validate/validate-command.ts')),
  row('routes', 'list the routes of a running gateway, or of a folder', () => import('./routes/routes-command.ts')),
  row('top', 'show traffic and load of a running gateway as a live table', () => import('./top/top-command.ts')),
  row('diff', 'compare an instance with what a running gateway serves', () => import('./diff/diff-command.ts')),
  row('push', 'make a release of a folder, for all gateways of a store', () => import('./release/push-command.ts')),
  row('pull', 'write a release into a folder', () => import('./release/pull-command.ts')),
  row('release', 'list, compare, promote and roll back releases', () => import('./release/release-command.ts')),
  row(
    'instances',
    'list the gateways of a store, and what each serves',
    () => import('./release/instances-command.ts'),
  ),
  row(
    'migrate',
    'rewrite files of other dialects in the current spelling',
    () => import('./migrate/migrate-command.ts'),
  ),
  row('explain', 'show which route matches a request, and why', () => import('./explain/explain-command.ts')),
  row('eval', 'evaluate one expression', () => import('./eval/eval-command.ts')),
  row('script', 'check scripts in files, or run one', () => import('./script/script-command.ts')),
  row('schema', 'print the JSON Schema of a type or of route files', () => import('./schema-command.ts')),
  row('keys', 'create a keystore for development', () => import('./keys/keys-command.ts')),
  row('audit', 'verify audit files, and read their events', () => import('./audit/audit-command.ts')),
  row('completion', 'print a completion script for bash, zsh or fish', async () => ({
    command: (await import('./completion/completion-command.ts')).completionCommand(COMMANDS),
  })),
  row('version', 'print versions', () => import('./version-command.ts')),
]

function row(name: string, summary: string, load: () => Promise<{ readonly command: Command }>): CommandEntry {
  return { name, summary, load: async () => (await load()).command }
}
