// Levels of authentication (LoA) for step-up.
import type { AdminApi } from './admin-api.ts'
import { REALM } from './suite.ts'

const TOP = 'levels'

interface Execution {
  readonly id: string
  readonly displayName: string
  readonly providerId?: string
  readonly level: number
}

/** Gives a client the flow with two levels. */
export async function demandLevels(admin: AdminApi, clientId: string): Promise<void> {
  const flows = await admin.get<{ id: string; alias: string }[]>(`/${REALM}/authentication/flows`)
  const browser = flows.find(({ alias }) => alias === TOP)?.id ?? (await createLevels(admin))
  const [found] = await admin.get<{ id: string }[]>(`/${REALM}/clients?clientId=${clientId}`)
  await admin.put(`/${REALM}/clients/${found?.id}`, { ...found, authenticationFlowBindingOverrides: { browser } })
}

/** An authentication flow with two levels: the password, and the password once more. */
async function createLevels(admin: AdminApi): Promise<string> {
  const flows = `/${REALM}/authentication/flows`
  const add = async (parent: string, provider: string, requirement: string): Promise<string> => {
    const id = (await admin.post(`${flows}/${parent}/executions/execution`, { provider })) as string
    await admin.put(`${flows}/${parent}/executions`, { id, requirement })
    return id
  }
  const addFlow = async (parent: string, alias: string, requirement: string): Promise<void> => {
    await admin.post(`${flows}/${parent}/executions/flow`, { alias, type: 'basic-flow', provider: 'basic-flow' })
    const executions = await admin.get<Execution[]>(`${flows}/${parent}/executions`)
    const execution = executions.find(({ displayName }) => displayName === alias)
    await admin.put(`${flows}/${parent}/executions`, { ...execution, requirement })
  }
  const id = (await admin.post(flows, {
    alias: TOP,
    providerId: 'basic-flow',
    topLevel: true,
    builtIn: false,
  })) as string
  await add(TOP, 'auth-cookie', 'ALTERNATIVE')
  await addFlow(TOP, 'levels-forms', 'ALTERNATIVE')
  for (const [level, form] of [
    ['1', 'auth-username-password-form'],
    ['2', 'auth-password-form'],
  ] as const) {
    const alias = `level-${level}`
    await addFlow('levels-forms', alias, 'CONDITIONAL')
    const condition = await add(alias, 'conditional-level-of-authentication', 'REQUIRED')
    await admin.post(`/${REALM}/authentication/executions/${condition}/config`, {
      alias,
      config: { 'loa-condition-level': level, 'loa-max-age': '36000' },
    })
    await add(alias, form, 'REQUIRED')
  }
  return id
}
