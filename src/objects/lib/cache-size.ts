import { config, type Environment, integer } from '#schema'

/** Default of `maximumSize`, also of caches without the field. */
export const DEFAULT_SIZE = 100_000

/** The field `maximumSize` of caches. */
export function maximumSizeField(entries: string, size = DEFAULT_SIZE) {
  return config(integer({ min: 1 }))
    .default(size)
    .meta({
      description: `Maximum of cached ${entries} in the whole gateway; each unit gets an even share. The least recently used is evicted.`,
    })
}

/** Maximum of cached entries in one unit. */
export function unitSize(maximumSize: number, { units }: Pick<Environment, 'units'>): number {
  return Math.ceil(maximumSize / units)
}
