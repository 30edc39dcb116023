// Folders of docs/ with programs and configurations that documents link to.

export const RECIPES = 'docs/recipes';
export const DEPLOYMENT = 'docs/deployment';
