import type { Command } from './command.ts'

/** A command by its name. Its modules are loaded when it runs, so that small commands start fast. */
export interface CommandEntry {
  readonly name: string
  /** One-line summary. */
  readonly summary: string
  load(): Promise<Command>
}

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
    name: 'version',
    summary: 'print versions',
    load: async () => (await import('./version-command.ts')).VersionCommand,
  },
]
