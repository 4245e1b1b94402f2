// Every member of the library, enumerated from its tables, with the largest values that scripts can have: none takes much longer
// than the limit of time, whatever a table forgets to check. In the suite with smaller values and few of the combinations; with
// FUZZ_SEED (npm run fuzz -- library) with the largest and other combinations for each seed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slowness, threadTime } from '../../../test/support/loop-watch.ts'
import {
  type ClassInfo,
  classes,
  classOf,
  coreLibrary,
  DEFAULT_LIMITS,
  Evaluation,
  GroovyError,
  GroovyLimitError,
  loadRareClasses,
  type Value,
} from '../index.ts'
import { createdSamples, type LargestSizes, librarySamples, type Sample } from '../testing/library-values.ts'

const isLong = process.env['FUZZ_RUNS'] !== undefined
const SIZES: LargestSizes = isLong
  ? { characters: 10_000_000, elements: 1_000_000, bits: 199_000 }
  : { characters: 200_000, elements: 20_000, bits: 60_000 }
/** Time limit of the evaluation, and what it may take longer: the last call begins just before the limit. */
const TIMEOUT = isLong ? 100 : 20
const OVERRUN = isLong ? 500 : 250
const ROUNDS = 1
/** Garbage of earlier calls may be collected in one of them. */
const TRIES = 3
/** Calls of one member in an evaluation. */
const CALLS = isLong ? 200 : 4

/** One overload. */
interface Member {
  readonly klass: ClassInfo
  readonly kind: 'method' | 'static' | 'constructor'
  readonly text: string
  readonly parameters: readonly { distance(value: Value): number; readonly name: string }[]
  readonly varargs: boolean
  call(self: Value, args: Value[]): unknown
}

const random = seeded(Number(process.env['FUZZ_SEED'] ?? 20260101))

function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return Math.floor(((state >>> 8) / 2 ** 24) * below)
  }
}

/** A sample with its class. */
interface Known {
  readonly klass: ClassInfo
  readonly probe: Value
  readonly fresh: () => Value | Promise<Value>
}

const CHANGED = /map|Builder|Buffer|with \{|iterator|stream|Binding/

async function knownSamples(): Promise<readonly Known[]> {
  const known: Known[] = librarySamples(SIZES).map((fresh: Sample) => {
    const probe = fresh()
    return { klass: classOf(probe), probe, fresh }
  })
  for (const [expression, make] of await createdSamples(SIZES)) {
    const probe = await make()
    known.push({ klass: classOf(probe), probe, fresh: CHANGED.test(expression) ? make : () => probe })
  }
  return known
}

function membersOf(klass: ClassInfo): Member[] {
  const methods = [...klass.ownMethods.values()].flat().filter(({ isAbstract }) => !isAbstract)
  const statics = [...klass.ownStatics.values()].flat()
  return [
    ...methods.map((each) => member(klass, 'method', each)),
    ...statics.map((each) => member(klass, 'static', each)),
    ...klass.constructors.map((each) => member(klass, 'constructor', each)),
    ...[...klass.ownProperties.values()].flatMap(({ name, get }) =>
      get === null
        ? []
        : [
            {
              klass,
              kind: 'method' as const,
              text: name,
              parameters: [],
              varargs: false,
              call: (self: Value) => get(self),
            },
          ],
    ),
  ]
}

function member(
  klass: ClassInfo,
  kind: Member['kind'],
  { text, parameters, varargs, name }: ClassInfo['constructors'][number],
): Member {
  const group = kind === 'method' ? klass.method(name) : kind === 'static' ? klass.staticMethod(name) : klass.creation
  return { klass, kind, text, parameters, varargs, call: (self, args) => group?.tryInvoke(self, args) }
}

/** Waits and waits for values of a host are no work. */
const WAITS = /^static sleep/

/** What a call of a member costs, and what else it threw than exceptions of scripts and exceeded limits. */
interface Outcome {
  readonly time: number
  readonly fault: string | null
}

/** Calls a member again and again until a limit ends it, with the same arguments. */
function runMember(each: Member, self: Value, args: readonly Value[]): Outcome {
  const evaluation = new Evaluation({ ...DEFAULT_LIMITS, timeout: TIMEOUT })
  const before = threadTime()
  let fault: string | null = null
  try {
    const outcome = evaluation.run(() => {
      for (let call = 0; call < CALLS; call++) each.call(self, [...args])
      return null
    })
    if (outcome instanceof Promise) outcome.catch(() => undefined)
  } catch (error) {
    if (!(error instanceof GroovyError || error instanceof GroovyLimitError)) fault = String((error as Error).stack)
  }
  return { time: threadTime() - before, fault }
}

function choose<T>(list: readonly T[]): T {
  return list[random(list.length)] as T
}

const samples = await knownSamples()
const byParameter = new Map<string, readonly Known[]>()

function fitting(parameter: Member['parameters'][number]): readonly Known[] {
  let found = byParameter.get(parameter.name)
  if (found === undefined) {
    const element = (parameter as { element?: Member['parameters'][number] }).element
    found = samples.filter(({ probe }) => parameter.distance(probe) >= 0 || (element?.distance(probe) ?? -1) >= 0)
    byParameter.set(parameter.name, found)
  }
  return found
}

/** The values of a call; null where no sample fits. */
async function valuesFor(each: Member): Promise<{ self: Value; args: Value[]; shown: string } | null> {
  const receivers = samples.filter(({ klass }) => klass === each.klass || klass.isSubclassOf(each.klass))
  if (each.kind === 'method' && receivers.length === 0) return null
  const chosen: Known[] = []
  for (const parameter of each.parameters) {
    const found = fitting(parameter)
    if (found.length === 0) return null
    chosen.push(choose(found))
  }
  const receiver = each.kind === 'method' ? choose(receivers) : null
  const all = receiver === null ? chosen : [receiver, ...chosen]
  return {
    self: receiver === null ? each.klass : await receiver.fresh(),
    args: await Promise.all(chosen.map(({ fresh }) => fresh())),
    shown: all
      .map(({ klass, probe }) => `${klass.simpleName}#${samples.findIndex((one) => one.probe === probe)}`)
      .join(', '),
  }
}

async function check(each: Member): Promise<string | null> {
  for (let round = 0; round < ROUNDS; round++) {
    const values = await valuesFor(each)
    if (values === null) return 'no sample'
    let least = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < TRIES && least > TIMEOUT + OVERRUN; tries++) {
      const { time, fault } = runMember(each, values.self, values.args)
      // Few calls of the short form reach the same faults: a seed finds them.
      if (fault !== null && isLong) return `${fault}: ${values.shown}`
      least = Math.min(least, time)
    }
    if (least > TIMEOUT + OVERRUN && least / slowness() > TIMEOUT + OVERRUN) return `${least} ms: ${values.shown}`
  }
  return null
}

await loadRareClasses()
const all = new Set<ClassInfo>(coreLibrary().allClasses())
for (const { klass } of samples) for (const each of klass.lineage) all.add(each)
all.add(classes.primitives.byte.arrayClass)

/** Classes of which no sample exists, since a script gets them from keys and certificates of files only. */
const NEVER_CREATED = /java\.security\.(?:cert|interfaces)\.|java\.security\.Principal|X500Principal|JsonDelegate/

for (const klass of all) {
  const members = membersOf(klass).filter(({ text }) => !WAITS.test(text))
  if (members.length === 0) continue
  test(`no member of ${klass.name} runs much longer than the limit`, async () => {
    const failures: string[] = []
    for (const each of members) {
      const failure = await check(each)
      if (failure === null || (failure === 'no sample' && NEVER_CREATED.test(klass.name))) continue
      failures.push(`${each.text}: ${failure}`)
    }
    assert.deepEqual(failures, [])
  })
}
