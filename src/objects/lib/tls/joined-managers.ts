import type { KeyManager, TrustManager } from '#contracts'

/** Several key managers as one: the identities of all, in order. */
export function joinKeys(managers: readonly KeyManager[] | undefined): KeyManager | null {
  if (managers === undefined || managers.length === 0) return null
  return {
    identities: async () => (await Promise.all(managers.map((each) => each.identities()))).flat(),
    problem: () => firstProblem(managers.map((each) => each.problem?.())),
    onChange: (listener) => listenToAll(managers, listener),
  }
}

export function firstProblem(problems: readonly (Error | null | undefined)[]): Error | null {
  return problems.find((problem) => problem instanceof Error) ?? null
}

/** Several trust managers as one: a certificate that one of them trusts is trusted. */
export function joinTrust(managers: readonly TrustManager[] | undefined): TrustManager | null {
  if (managers === undefined || managers.length === 0) return null
  return {
    authorities: async () => {
      const all = await Promise.all(managers.map((each) => each.authorities()))
      if (all.includes('anything')) return 'anything'
      const named = all.flatMap((each) => (typeof each === 'string' ? [] : each))
      return named.length === 0 && all.includes('platform') ? 'platform' : named
    },
    onChange: (listener) => listenToAll(managers, listener),
  }
}

/** Calls the listener for changes of each source. */
export function listenToAll(
  sources: readonly { onChange(listener: () => void): () => void }[],
  listener: () => void,
): () => void {
  const stops = sources.map((source) => source.onChange(listener))
  return () => {
    for (const stop of stops) stop()
  }
}
