// Checks a history of compare-and-swap writes against the chain of releases that the store has in the end.

/** A write of a register with `If-Match`. Times are milliseconds of one clock. */
export interface WriteEntry {
  readonly register: string
  /** The value whose revision it named. */
  readonly expected: string
  /** Unique among all writes. */
  readonly value: string
  readonly begin: number
  readonly end: number
  /** `failed`: 412. `refused`: the response says that nothing has changed. `unknown`: it may have happened, once. */
  readonly outcome: 'done' | 'failed' | 'refused' | 'unknown'
}

/** A read of a register over the API of a gateway, which answers from its local copy. */
export interface ReadEntry {
  readonly register: string
  readonly value: string
  readonly end: number
}

/** A release as the store has it: the value of each register in it. */
export interface StoredRelease {
  readonly number: number
  readonly parent: number | null
  readonly write: string
  readonly registers: ReadonlyMap<string, string>
}

/** What contradicts that each write happened once and atomically between its request and its response, or not at all. */
export function violations(
  releases: readonly StoredRelease[],
  writes: readonly WriteEntry[],
  reads: readonly ReadEntry[],
): string[] {
  const chains = chainsOf(releases)
  return [
    ...brokenChain(releases),
    ...wrongOutcomes(chains, writes),
    ...wrongOrder(chains, writes),
    ...wrongFailures(chains, writes),
    ...wrongReads(chains, writes, reads),
  ]
}

interface Step {
  readonly value: string
  readonly release: number
}

/** The different values of each register in their order. */
type Chains = ReadonlyMap<string, readonly Step[]>

function chainsOf(releases: readonly StoredRelease[]): Chains {
  const chains = new Map<string, Step[]>()
  for (const { number, registers } of releases) {
    for (const [register, value] of registers) {
      const chain = chains.get(register) ?? []
      chains.set(register, chain)
      if (chain.at(-1)?.value !== value) chain.push({ value, release: number })
    }
  }
  return chains
}

/** Numbers without gaps, each on the one before, each of its own write. */
function brokenChain(releases: readonly StoredRelease[]): string[] {
  const found: string[] = []
  const writes = new Set<string>()
  for (const [at, { number, parent, write }] of releases.entries()) {
    const before = releases[at - 1]
    if (before !== undefined && (number !== before.number + 1 || parent !== before.number))
      found.push(`release ${number} with parent ${parent} follows ${before.number}`)
    if (writes.has(write)) found.push(`release ${number} has the write of another`)
    writes.add(write)
  }
  return found
}

function wrongOutcomes(chains: Chains, writes: readonly WriteEntry[]): string[] {
  const found: string[] = []
  for (const { register, expected, value, outcome } of writes) {
    const chain = chains.get(register) ?? []
    const at = chain.flatMap((step, index) => (step.value === value ? [index] : []))
    const name = `${register} = ${value} (${outcome})`
    if (at.length > 1) found.push(`${name} is there ${at.length} times`)
    if (at.length === 0 && outcome === 'done') found.push(`${name} is lost`)
    if (at.length > 0 && (outcome === 'failed' || outcome === 'refused')) found.push(`${name} happened`)
    const before = at[0] === undefined ? undefined : chain[at[0] - 1]?.value
    if (at.length > 0 && before !== expected) found.push(`${name} replaced ${before}, expected ${expected}`)
  }
  return found
}

/** A write that began after another one had its response comes after it. One chain of releases has all registers. */
function wrongOrder(chains: Chains, writes: readonly WriteEntry[]): string[] {
  const done = writes.flatMap((write) => {
    const release = chains.get(write.register)?.find(({ value }) => value === write.value)?.release
    return release === undefined ? [] : [{ ...write, release }]
  })
  const byEnd = done.filter(({ outcome }) => outcome === 'done').toSorted((a, b) => a.end - b.end)
  const found: string[] = []
  let [next, highest] = [0, 0]
  for (const write of done.toSorted((a, b) => a.begin - b.begin)) {
    for (; next < byEnd.length && byEnd[next]!.end < write.begin; next++)
      highest = Math.max(highest, byEnd[next]!.release)
    if (write.release < highest)
      found.push(
        `${write.register} = ${write.value} is release ${write.release}, but ${highest} was answered before it`,
      )
  }
  return found
}

/** A 412 needs a moment between request and response in which the register had another value. */
function wrongFailures(chains: Chains, writes: readonly WriteEntry[]): string[] {
  const byValue = new Map(writes.map((write) => [`${write.register}=${write.value}`, write]))
  return writes.flatMap(({ register, expected, value, begin, end, outcome }) => {
    if (outcome !== 'failed') return []
    const chain = chains.get(register) ?? []
    const at = chain.findIndex((step) => step.value === expected)
    const [own, next] = [chain[at], chain[at + 1]].map((step) => step && byValue.get(`${register}=${step.value}`))
    // Values without a write are those of the beginning.
    const wasSet = at >= 0 && (own === undefined || (own.outcome === 'done' && own.end < begin))
    const stayed = chain[at + 1] === undefined || (next !== undefined && next.begin > end)
    return wasSet && stayed ? [`${register} = ${value} got 412 while ${expected} was its value`] : []
  })
}

/** What is read was written, by a write that had begun. */
function wrongReads(chains: Chains, writes: readonly WriteEntry[], reads: readonly ReadEntry[]): string[] {
  const byValue = new Map(writes.map((write) => [`${write.register}=${write.value}`, write]))
  return reads.flatMap(({ register, value, end }) => {
    const isStored = chains.get(register)?.some((step) => step.value === value)
    const write = byValue.get(`${register}=${value}`)
    if (isStored && (write === undefined || write.begin < end)) return []
    return [`${register} = ${value} was read ${isStored ? 'before it was written' : 'and is in no release'}`]
  })
}
