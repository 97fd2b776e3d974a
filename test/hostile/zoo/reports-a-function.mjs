import { animal } from './animal.mjs';

export default animal('reports-a-function', (profile, context) => {
  context.report({ later: () => 1 });
  return profile;
});
