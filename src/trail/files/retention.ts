import { stat, statfs } from 'node:fs/promises'
import type { RetentionPlan } from './file-plan.ts'
import type { RotatedName } from './topic-files.ts'

/** Rotated files that are to be removed, the oldest first. */
export async function expiredFiles(
  rotated: readonly RotatedName[],
  { maxFiles, maxDiskSpace, minFreeSpace }: RetentionPlan,
  { directory, activeSize }: { readonly directory: string; readonly activeSize: number },
): Promise<readonly RotatedName[]> {
  let count = Math.max(rotated.length - maxFiles, 0)
  if (count < rotated.length && (maxDiskSpace !== Number.POSITIVE_INFINITY || minFreeSpace > 0)) {
    const sizes = await Promise.all(rotated.map(({ path }) => sizeOf(path)))
    let used = activeSize + sum(sizes.slice(count))
    let free = minFreeSpace > 0 ? (await freeSpace(directory)) + sum(sizes.slice(0, count)) : Number.POSITIVE_INFINITY
    while (count < rotated.length && (used > maxDiskSpace || free < minFreeSpace)) {
      used -= sizes[count] as number
      free += sizes[count] as number
      count++
    }
  }
  return rotated.slice(0, count)
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

async function freeSpace(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
