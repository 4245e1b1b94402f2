// docs/reference/tokens.md: what becomes of every kind of token, and of every defect, at every place; from a run.
import { TOKEN_KINDS } from '#jose'
import { DEFECTS, type Defect } from './defects.ts'
import { KINDS, type Kind, specimenOf } from './kinds.ts'
import { type OpenPlaces, openPlaces } from './open-places.ts'
import type { Place, Verdict } from './place.ts'

/** Offers of one place: by kind, and by defect of its own kind; null where a defect does not apply. */
interface Verdicts {
  readonly place: Place
  readonly kinds: ReadonlyMap<Kind, Verdict>
  readonly defects: ReadonlyMap<Defect, Verdict | null>
}

const INTRODUCTION = `<!-- Made by \`WRITE_PAGES=1 npm test -- token-matrix\` from a run of the gateway. Do not edit. -->

# Tokens, and where they are accepted

What a token must satisfy is one table for the whole gateway: its use, type, times, issuer and audience are judged in one place for
every object that gets tokens. This page is the result of a run: a gateway with these objects gets valid tokens of every kind, and tokens with
one defect each, over HTTP. Every token is signed by the key of the issuer, unless the defect says otherwise.

Each object is configured with the key of the issuer, and with \`issuer\` and \`audience\` where it has such a field. What it checks besides is
on its own page. CacheAccessTokenResolver and ConfirmationKeyVerifierAccessTokenResolver judge what their resolver admits.
`

/** Runs every offer, the places side by side. */
export async function tokenVerdicts(): Promise<readonly Verdicts[]> {
  await using open = await openPlaces()
  return await Promise.all(open.places.map((place) => verdictsAt(place, open)))
}

async function verdictsAt(place: Place, { purpose, keys, strangerKey }: OpenPlaces): Promise<Verdicts> {
  const offer = (kind: Kind, defect: Defect | null) =>
    place.offer((more) => {
      const meant = { ...purpose(), ...more }
      const valid = specimenOf(kind, meant)
      return defect === null ? valid : defect.apply(valid, { now: meant.now, keys, strangerKey })
    })
  const own = KINDS.find(({ name }) => name === place.own)
  if (own === undefined) throw new Error(`no kind of token is named ${place.own}`)
  const kinds = new Map<Kind, Verdict>()
  for (const kind of KINDS) kinds.set(kind, await offer(kind, null))
  const defects = new Map<Defect, Verdict | null>()
  for (const defect of DEFECTS.flatMap(({ defects: each }) => each))
    defects.set(defect, place.isOfResponse && !defect.isOfClaims ? null : await offer(own, defect))
  return { place, kinds, defects }
}

export function tokensPage(all: readonly Verdicts[]): string {
  const numbers = all.map((_, at) => String(at + 1))
  const places = all.map(({ place }, at) => {
    const { name, judges, row, own } = place
    return [numbers[at] as string, linked(name), judges, `\`${row}\``, own]
  })
  return [
    INTRODUCTION,
    '## Objects\n',
    table(['', 'Object', 'Judges', 'Rules', 'Kind of token for the defects'], places),
    `\n✓ accepted, – rejected, empty: does not apply. A number is the status of another response: ${statusesIn(all)}.\n`,
    '## Rules\n',
    RULES,
    table(['Rules', 'Declared use', '`typ`', 'Required', 'Refused claims', 'Times', 'Ahead'], ruleRows()),
    '\n## Valid tokens of other kinds\n',
    table(
      ['Token', ...numbers],
      KINDS.map((kind) => [kind.name, ...all.map(({ kinds }) => shown(kinds.get(kind) ?? null))]),
    ),
    ...DEFECTS.flatMap(({ title, defects: listed }) => [
      `\n## ${title}\n`,
      table(
        ['Defect', ...numbers],
        listed.map((defect) => [defect.name, ...all.map(({ defects }) => shown(defects.get(defect) ?? null))]),
      ),
    ]),
    '',
  ].join('\n')
}

const RULES = `What is configured comes besides: issuer, audience, types, clock skew. Claims that are only refused where no use is declared are in
brackets. \`iat\` and \`nbf\` may be ahead by seconds, or by the clock skew where that is longer.
`

/** The table in the source, as it is. */
function ruleRows(): string[][] {
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ')
  return Object.entries(TOKEN_KINDS).map(([name, { uses, types, untyped, required, identified, ...more }]) => {
    const { unlike, forbidden, times, issuedAhead, usableAhead } = more
    const oneOf = identified.length === 0 ? '' : ` ${identified.map((each) => `\`${each}\``).join(' or ')}`
    const others = unlike.length === 0 ? '' : ` (${code(unlike)})`
    const shownTypes = types === null ? 'any' : code(types) + (types.includes(untyped as never) ? ', or none' : '')
    return [
      `\`${name}\``,
      uses === null ? 'any' : uses.length === 0 ? 'none' : uses.join(', '),
      shownTypes,
      code(required) + oneOf,
      code(forbidden) + others,
      code(times),
      [
        (times as readonly string[]).includes('iat') ? `\`iat\` ${issuedAhead / 1_000}` : '',
        usableAhead > 0 ? `\`nbf\` ${usableAhead / 1_000}` : '',
      ]
        .filter((each) => each !== '')
        .join(', '),
    ]
  })
}

const STATUSES: Readonly<Record<string, string>> = {
  500: '500 an error of the script, which expects JSON',
  503: '503 the response of the server can not be used',
}

function statusesIn(all: readonly Verdicts[]): string {
  const verdicts = all.flatMap(({ kinds, defects }) => [...kinds.values(), ...defects.values()])
  const found = new Set(verdicts.flatMap((verdict) => /^status (\d+)$/.exec(verdict ?? '')?.[1] ?? []))
  return [...found]
    .sort()
    .map((status) => STATUSES[status] ?? status)
    .join(', ')
}

function shown(verdict: Verdict | null): string {
  if (verdict === null) return ''
  return verdict === 'admitted' ? '✓' : verdict === 'refused' ? '–' : verdict.slice('status '.length)
}

function linked(name: string): string {
  if (name.startsWith('`')) return `[${name}](../guide/scripts.md#secrets-and-tokens)`
  const page = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()
  return `[${name}](${page}.md)`
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
