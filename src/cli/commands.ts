import type { CommandEntry } from './command.ts'

/** Every command, in the order of the overview. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'run the gateway on an instance directory',
    load: async () => (await import('./run/run-command.ts')).RunCommand,
  },
  {
    name: 'demo',
    summary: 'run a sample gateway with an application behind it',
    load: async () => (await import('./demo/demo-command.ts')).DemoCommand,
  },
  {
    name: 'init',
    summary: 'create an instance directory',
    load: async () => (await import('./init/init-command.ts')).InitCommand,
  },
  {
    name: 'health',
    summary: 'ask a running gateway for its health',
    load: async () => (await import('./health-command.ts')).HealthCommand,
  },
  {
    name: 'validate',
    summary: 'check all configuration without serving traffic',
    load: async () => (await import('./validate/validate-command.ts')).ValidateCommand,
  },
  {
    name: 'routes',
    summary: 'list the routes of a running gateway, or of a folder',
    load: async () => (await import('./routes/routes-command.ts')).RoutesCommand,
  },
  {
    name: 'top',
    summary: 'show traffic and load of a running gateway as a live table',
    load: async () => (await import('./top/top-command.ts')).TopCommand,
  },
  {
    name: 'diff',
    summary: 'compare an instance with what a running gateway serves',
    load: async () => (await import('./diff/diff-command.ts')).DiffCommand,
  },
  {
    name: 'push',
    summary: 'make a release of a folder, for all gateways of a store',
    load: async () => (await import('./release/push-command.ts')).PushCommand,
  },
  {
    name: 'pull',
    summary: 'write a release into a folder',
    load: async () => (await import('./release/pull-command.ts')).PullCommand,
  },
  {
    name: 'release',
    summary: 'list, compare, promote and roll back releases',
    load: async () => (await import('./release/release-command.ts')).ReleaseCommand,
  },
  {
    name: 'instances',
    summary: 'list the gateways of a store, and what each serves',
    load: async () => (await import('./release/instances-command.ts')).InstancesCommand,
  },
  {
    name: 'migrate',
    summary: 'rewrite files of other dialects in the current spelling',
    load: async () => (await import('./migrate/migrate-command.ts')).MigrateCommand,
  },
  {
    name: 'explain',
    summary: 'show which route matches a request, and why',
    load: async () => (await import('./explain/explain-command.ts')).ExplainCommand,
  },
  {
    name: 'eval',
    summary: 'evaluate one expression',
    load: async () => (await import('./eval/eval-command.ts')).EvalCommand,
  },
  {
    name: 'script',
    summary: 'check scripts in files, or run one',
    load: async () => (await import('./script/script-command.ts')).ScriptCommand,
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of a type or of route files',
    load: async () => (await import('./schema-command.ts')).SchemaCommand,
  },
  {
    name: 'keys',
    summary: 'create a keystore for development',
    load: async () => (await import('./keys/keys-command.ts')).KeysCommand,
  },
  {
    name: 'audit',
    summary: 'verify audit files, and read their events',
    load: async () => (await import('./audit/audit-command.ts')).AuditCommand,
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion/completion-command.ts')).completionCommand(COMMANDS),
  },
  {
    name: 'version',
    summary: 'print versions',
    load: async () => (await import('./version-command.ts')).VersionCommand,
  },
]
