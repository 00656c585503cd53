// The first line of `npm start`: a build that says nothing looks like one that hangs.
console.log('Building Inpage and the playground: this takes one to three minutes. Then the URL is printed here.');
