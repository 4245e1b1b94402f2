/** Runs all steps one after the other, also after one that fails; then rejects with the failure, or with all of them. */
export async function allInTurn(steps: readonly (() => Promise<unknown> | undefined)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, 'several steps failed')
}
