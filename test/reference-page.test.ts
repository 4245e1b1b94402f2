import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  byShape,
  config,
  type Decorator,
  type DocumentSource,
  defineDecorator,
  defineType,
  defineTypeOfAnyKind,
  duration,
  exactlyOneOf,
  ignored,
  integer,
  kind,
  list,
  listOrOne,
  map,
  needs,
  object,
  oneOf,
  ref,
  refToAny,
  renames,
  runtime,
  string,
} from '#schema'
import { documentPage } from '../scripts/reference/document-page.ts'
import { pageName } from '../scripts/reference/page-name.ts'
import { referenceIndex, referencePage } from '../scripts/reference/reference-page.ts'

const ToolKind = kind<object>('Tool')
const part = object(
  { size: integer().meta({ description: 'How large.' }), unit: string().optional().meta({ description: 'In what.' }) },
  { rules: [needs('unit', 'size')] },
)

const Saw = defineType({
  name: 'Saw',
  aliases: ['OldSaw'],
  kind: ToolKind,
  summary: 'Saws.',
  config: {
    wait: config(duration()).default('5 seconds').meta({ description: 'How long.' }),
    mode: oneOf(['FAST', 'SLOW']).optional().meta({ description: 'Fast | slow.', replacement: 'use wait instead' }),
    oil: string().optional().meta({ description: 'Which oil.', unsupported: 'it runs dry' }),
    mark: runtime('string').meta({ description: 'A mark.' }),
    parts: list(part).optional().meta({ description: 'Parts.' }),
    named: map(config(part)).optional().meta({ description: 'Parts by name.' }),
    tools: listOrOne(ref(ToolKind)).optional().meta({ description: 'Other tools.' }),
    shaped: byShape({ string: runtime('any'), object: part })
      .optional()
      .meta({ description: 'Shaped.' }),
  },
  rules: [exactlyOneOf('mode', 'wait')],
  older: renames({ pause: 'wait' }),
  create: () => ({}),
})

const shopFields = { tool: ref(ToolKind).meta({ description: 'The tool.' }) }
const SHOP: DocumentSource = {
  name: 'shop',
  title: 'shop.json',
  description: 'A shop.',
  document: {
    members: shopFields,
    fields: object(shopFields, {
      older: [...renames({ instrument: 'tool' }), ignored('monitor', 'it is gone')],
    }),
    legacy: [],
  },
  defaults: [],
  inherits: false,
}

test('a page has the definition, then the prose', () => {
  assert.equal(
    referencePage(Saw, 'Use it for wood.\n\n## Behaviour\n\nIt cuts.\n'),
    `# Saw

Saws.

Kind: [Tool](README.md#tool). Also written \`OldSaw\`.

Use it for wood.

## Configuration

| Field | Type | Required | Default | Description |
|---|---|---|---|---|
| \`wait\` | configuration expression (duration) | no | \`"5 seconds"\` | How long. Old name: \`pause\`. |
| \`mode\` | \`FAST\` or \`SLOW\` | no |  | Fast \\| slow. **Deprecated**: use wait instead. |
| \`oil\` | string | no |  | Which oil. **No effect**: it runs dry. |
| \`mark\` | runtime expression (string) | yes |  | A mark. |
| \`parts\` | array of object | no |  | Parts. |
| \`parts[].size\` | integer | yes |  | How large. |
| \`parts[].unit\` | string | no |  | In what. |
| \`named\` | map of configuration expression (object) | no |  | Parts by name. |
| \`named.*.size\` | integer | yes |  | How large. |
| \`named.*.unit\` | string | no |  | In what. |
| \`tools\` | [Tool](README.md#tool) reference, or array of [Tool](README.md#tool) reference | no |  | Other tools. |
| \`shaped\` | runtime expression (any), or object | no |  | Shaped. |
| \`shaped.size\` | integer | yes |  | How large. |
| \`shaped.unit\` | string | no |  | In what. |

- Give exactly one of mode, wait.
- unit needs size in \`parts[]\`.
- unit needs size in \`named.*\`.
- unit needs size in \`shaped\`.

## Behaviour

It cuts.
`,
  )
})

test('a deprecated type, one of any kind and one without configuration', () => {
  const Stand = defineTypeOfAnyKind({
    name: 'Stand',
    summary: 'Stands for another.',
    config: {},
    replacement: 'use the other',
    create: () => ({ kind: ToolKind, value: {} }),
  })
  assert.equal(
    referencePage(Stand, ''),
    `# Stand

Stands for another.

Kind: what it stands for.

**Deprecated**: use the other.

## Configuration

This type has no configuration: leave \`config\` out.
`,
  )
})

test('the page of a decorator lists the values of its key', () => {
  const Paint = defineDecorator({
    name: 'Paint',
    kind: kind<Decorator>('Decorator'),
    summary: 'Paints.',
    config: {},
    settings: part.meta({ description: 'The paint.' }),
    create: () => ({ wraps: {} }),
  })
  const page = referencePage(Paint, '')
  assert.match(page, /## Use\n\nThe key of the decorator beside `type` and `config` takes: object\. The paint\./)
  assert.match(page, /\| `size` \| integer \| yes \|/)
})

test('the index lists types by kind and name', () => {
  const Axe = defineType({
    ...Saw,
    name: 'Axe',
    aliases: [],
    kind: ToolKind,
    config: {},
    replacement: 'use Saw',
    create: () => ({}),
  })
  const Any = defineTypeOfAnyKind({
    name: 'Stand',
    summary: 'Stands.',
    config: { target: refToAny(ToolKind) },
    create: ({ target }) => target,
  })
  assert.equal(
    referenceIndex([SHOP], [Saw, Axe, Any]),
    `# Reference

Every file of a configuration, and every type of object that it can hold, by what it can stand for. Besides: [contexts](contexts.md), [error codes](errors.md), [log events](log-events.md), [metrics](metrics.md), [older spellings](older-spellings.md), [tokens](tokens.md).

## Files

| File | What it configures |
|---|---|
| [shop.json](shop.md) | A shop. |

## Any kind

| Type | What it does |
|---|---|
| [Stand](stand.md) | Stands. |

## Tool

| Type | What it does |
|---|---|
| [Axe](axe.md) | Saws. **Deprecated**: use Saw. |
| [Saw](saw.md) (also \`OldSaw\`) | Saws. |
`,
  )
})

test('the page of a file has its fields, its older spellings and the fields of every file', () => {
  const page = documentPage(SHOP, 'Read at start.\n\n## Example\n\nNone.\n')
  assert.match(page, /^# shop\.json\n\nA shop\.\n/)
  assert.ok(page.includes('schemas/shop.json'))
  assert.ok(page.includes('| `tool` | [Tool](README.md#tool) reference | yes |  | The tool. Old name: `instrument`. |'))
  assert.ok(page.includes('| `monitor` | No effect: it is gone. |'))
  assert.ok(page.includes('| `heap` | Objects that can be used by name. |'))
  assert.ok(page.indexOf('Read at start.') < page.indexOf('## Fields'))
  assert.ok(page.indexOf('## Fields') < page.indexOf('## Example'))
})

test('page names are the type name in kebab case', () => {
  assert.equal(pageName('StaticResponseHandler'), 'static-response-handler')
  assert.equal(pageName('OAuth2ResourceServerFilter'), 'oauth2-resource-server-filter')
  assert.equal(pageName('JwkSetSecretStore'), 'jwk-set-secret-store')
  assert.equal(pageName('NoOpAuditService'), 'no-op-audit-service')
  assert.equal(pageName('HTTPThing'), 'http-thing')
  assert.equal(pageName('SingleSignOnFilter'), 'single-sign-on-filter')
})
