import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes the name of a file durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(dirname(path), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
