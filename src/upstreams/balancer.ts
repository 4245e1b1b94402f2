import type { Clock } from '#schema'
import { hashOf } from './policies/hash.ts'
import { HashPolicy } from './policies/hash-ring.ts'
import { LeastRequestPolicy } from './policies/least-request.ts'
import type { Exclusion, Policy } from './policies/policy.ts'
import { RandomPolicy } from './policies/random.ts'
import { type RandomNumber, randomNumbers } from './policies/random-number.ts'
import { RoundRobinPolicy } from './policies/round-robin.ts'
import type { ServerStates } from './server-states.ts'
import { ServerView, type ViewSettings } from './server-view.ts'
import { setOfText, type UpstreamServer } from './upstream-server.ts'

export const POLICIES = ['roundRobin', 'leastRequest', 'random', 'hash'] as const
export type PolicyName = (typeof POLICIES)[number]

interface BalancerSettings extends ViewSettings {
  readonly policy: PolicyName
}

const WORDS: Readonly<Record<PolicyName, string>> = {
  roundRobin: 'next in turn',
  leastRequest: 'least requests',
  random: 'chosen at random',
  hash: 'by hash',
}

/** Nothing is excluded. */
export const ANY: Exclusion = { excludes: () => false }

/** Chooses servers of one service for the requests of this thread. */
export class Balancer {
  readonly states: ServerStates
  readonly #clock: Clock
  readonly #random: RandomNumber
  readonly #policyName: PolicyName
  readonly #isHashed: boolean
  readonly #policy: Policy
  readonly #view: ServerView
  #version = Number.NaN
  #setVersion = Number.NaN
  #servers: readonly UpstreamServer[] = []

  constructor(states: ServerStates, settings: BalancerSettings, clock: Clock, random: RandomNumber = randomNumbers()) {
    this.states = states
    this.#clock = clock
    this.#random = random
    this.#policyName = settings.policy
    this.#isHashed = settings.policy === 'hash'
    this.#policy = policyOf(settings.policy, states, random)
    this.#view = new ServerView(settings)
  }

  /** All servers of the service. */
  get servers(): readonly UpstreamServer[] {
    this.#refresh()
    return this.#servers
  }

  get isPanicking(): boolean {
    this.#refresh()
    return this.#view.isPanicking
  }

  /** Healthy servers of the priority in use. */
  get healthy(): number {
    this.#refresh()
    return this.#view.healthy
  }

  /** The server for a request; null where none is usable. `key` selects it with the policy `hash`; without one any does. */
  choose(exclusion: Exclusion, key: string | null): UpstreamServer | null {
    this.#refresh()
    const position = this.#policy.next(exclusion, this.#isHashed ? this.#keyOf(key) : 0)
    return position < 0 ? null : this.#view.usable[position]!
  }

  #keyOf(key: string | null): number {
    return key === null ? this.#random() : hashOf(key)
  }

  /** Whether requests may be sent to the server now. */
  isUsable(server: UpstreamServer, exclusion: Exclusion): boolean {
    this.#refresh()
    return this.#view.usable.includes(server) && !exclusion.excludes(server.slot)
  }

  /** Whether a usable server is not excluded. */
  hasUsable(exclusion: Exclusion): boolean {
    this.#refresh()
    return this.#view.usable.some(({ slot }) => !exclusion.excludes(slot))
  }

  /** Why a server was chosen, such as "least requests of 2 healthy". */
  get explanation(): string {
    this.#refresh()
    const { usable, healthy, isPanicking } = this.#view
    if (!isPanicking) return `${WORDS[this.#policyName]} of ${healthy} healthy`
    if (usable.length === 1) return 'the last that failed, since none is healthy'
    return `${WORDS[this.#policyName]} of all ${usable.length}, since only ${healthy} are healthy`
  }

  #refresh(): void {
    if (this.states.version !== this.#version || this.#isDue()) this.#update()
  }

  #isDue(): boolean {
    const { nextChange } = this.#view
    return nextChange !== Number.POSITIVE_INFINITY && this.#clock.monotonic() >= nextChange
  }

  #update(): void {
    const { states } = this
    const set = states.setVersion
    if (set !== this.#setVersion) {
      const text = states.readSet()
      // While the set is written, the last one is used.
      if (text === null) return
      this.#setVersion = set
      this.#servers = setOfText(text)
    }
    const version = states.version
    this.#view.update(this.#servers, states, this.#clock.now(), this.#clock.monotonic())
    this.#policy.update(this.#view)
    // Changes by the update itself are found at the next one.
    this.#version = version
  }
}

function policyOf(name: PolicyName, states: ServerStates, random: RandomNumber): Policy {
  switch (name) {
    case 'roundRobin':
      return new RoundRobinPolicy(random)
    case 'leastRequest':
      return new LeastRequestPolicy(states, random)
    case 'random':
      return new RandomPolicy(random)
    case 'hash':
      return new HashPolicy(states)
  }
}
